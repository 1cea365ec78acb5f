import { expect, test } from 'vitest';
import { createTransactionEncoder } from '../events/encode-block.ts';
import { openWalletEvents } from '../events/wallet-events.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { openStore } from '../roles/store/open-store.ts';
import { buildBlock } from '../testing/build-block.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { readWallets } from './read-wallets.ts';
import type { WalletSource } from './wallet-source.ts';

const PATIENCE = { timeout: 10_000, interval: 10 };
const LIMITS = { transactionsMax: 10, timeMs: 10_000, freshMs: 60_000 };

const transaction = (number: number) =>
  buildBlock({
    chain: 'solana',
    number,
    timeUnixSeconds: 1_700_000_000,
    transactions: [
      { hash: `tx-${number}`, sender: 'ann', movements: [{ from: 'ann', to: 'bob', amountRaw: 5n }] },
    ],
  });

/** What was noted of the wallets that somebody asked about, in turn. */
const coverages = async (read: WalletSource['read'], ...asked: string[]) => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  const stopping = new AbortController();
  const schema = loadSchema('TransactionTransfers');
  const wallets = await openWalletEvents(store.registry);
  const noted: string[] = [];
  const running = readWallets(
    {
      log: store.log,
      wallets,
      encode: createTransactionEncoder(await store.registry.register(schema)),
      source: { chain: 'solana', read },
      limits: LIMITS,
      clock: { nowUnixMs: () => 1_700_000_000_000 },
      events: {
        read: ({ wallet, transactions, coverage }) => noted.push(`${wallet}: ${transactions} ${coverage}`),
        failed: () => {},
        problem: () => {},
        waiting: () => {},
      },
    },
    stopping.signal,
  );
  try {
    await store.log.append(
      asked.map((wallet) => wallets.asked({ chain: 'solana', wallet, askedAtUnixSeconds: 1 })),
    );
    const inTurn = expect.poll(() => noted.length, PATIENCE).toBe(asked.length);
    await Promise.race([inTurn, running]);
    const [{ offset } = { offset: 0 }] = await store.log.commits('wallets-solana');
    expect(offset).toBe(asked.length);
    return noted;
  } finally {
    stopping.abort();
    await running.catch(() => {});
    await store.close();
  }
};

test('an answer that nobody thought of costs one wallet its history, not everybody theirs', async () => {
  const read: WalletSource['read'] = async function* (wallet) {
    yield transaction(7);
    if (wallet === 'odd') throw new TypeError("Cannot read properties of null (reading 'value')");
    return 'complete';
  };
  expect(await coverages(read, 'odd', 'plain')).toEqual(['odd: 1 node_failed', 'plain: 1 complete']);
});

test('a wallet with a transaction too large for one record is not said to be complete', async () => {
  const movements = Array.from({ length: 20_000 }, (_, i) => ({
    from: 'ann',
    to: `bob ${i}`,
    amountRaw: 1n,
  }));
  const large = { hash: 'tx-8', sender: 'ann', movements };
  const block = { chain: 'solana', number: 8, timeUnixSeconds: 1_700_000_000, transactions: [large] };
  const read: WalletSource['read'] = async function* () {
    yield transaction(7);
    yield buildBlock(block);
    return 'complete';
  };
  expect(await coverages(read, 'ann')).toEqual(['ann: 1 too_large_left_out']);
});
