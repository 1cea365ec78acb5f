import { expect, test } from 'vitest';
import { openWalletEvents, WHOLE_HISTORY } from '../../events/wallet-events.ts';
import { createEvmSource } from '../../ingest/evm/fetch-evm-block.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { followChain, untilHeld } from '../../testing/follow-chain.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { fingerprintTables } from '../../warehouse/fingerprint.ts';
import { startWallets } from './start-wallets.ts';

const stage = new SinkStage();
const CHAIN = 'ethereum';

/** A wallet that is paid and pays, and payments between strangers, all of them final. */
const startChain = async () => {
  const node = await startAnvil('--slots-in-an-epoch', '1');
  const [stranger, payee, account = ''] = await node.accounts();
  for (const [from, to] of [
    [stranger, account],
    [account, payee],
    [stranger, payee],
    [account, stranger],
  ])
    await node.send({ from, to, value: 5n });
  await node.ask('anvil_mine', '0x4');
  return { node, wallet: account.toLowerCase() };
};

/** Has a wallet read by a process that has read none yet, into the tables. */
const readWallet = async ({ url }: Anvil, wallet: string): Promise<void> => {
  const { store } = stage;
  const events = await openWalletEvents(store.registry);
  const [asked] = await store.log.append([
    events.asked({
      ...WHOLE_HISTORY,
      chain: CHAIN,
      wallet,
      askedAtUnixSeconds: 1_700_000_000,
      isPaid: false,
    }),
  ]);
  const nodes = { rpcUrls: [url], websocketUrl: null, commitment: 'latest' as const };
  const running = startWallets({
    store,
    chains: [{ name: CHAIN, ...nodes, start: null, isLive: true }],
    logger: createLogger({ level: 'silent' }),
    clock: systemClock,
  });
  const commits = () => store.log.commits(`wallets-${CHAIN}`);
  await expect.poll(commits, PATIENCE).toMatchObject([{ offset: (asked?.offset ?? 0) + 1 }]);
  await running.stop();
  await stage.drain();
};

const takeBlocks = async (node: Anvil): Promise<void> => {
  const { hash } = (await node.ask('eth_getBlockByNumber', 'latest', false)) as { hash: string };
  const source = createEvmSource({ chain: CHAIN, url: node.url });
  const following = followChain(stage.store, source, { firstBlock: 1 });
  await untilHeld(stage.store, { chain: CHAIN, hash, following });
  await following.stop();
  await stage.drain();
};

const countSingle = async (): Promise<number> => {
  const [[count] = []] = await stage.ask('SELECT count() FROM single_transactions');
  return Number(count);
};

test('a transaction of an EVM wallet counts once, whether its block came after the wallet was read or before', async () => {
  const { node, wallet } = await startChain();
  await readWallet(node, wallet);
  expect(await countSingle()).toBe(3);
  await takeBlocks(node);
  await readWallet(node, wallet);
  const seen = await fingerprintTables(stage.warehouse.writer);
  await stage.renew();
  await takeBlocks(node);
  expect(await fingerprintTables(stage.warehouse.writer)).toEqual(seen);
});
