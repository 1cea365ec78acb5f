import { afterAll, beforeAll, expect, test } from 'vitest';
import { follow } from '../../investigate/follow/follow.ts';
import type { Trail } from '../../investigate/follow/trail.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import { followWith, toFollowRequest } from '../../testing/ask-follow.ts';
import { type Anvil, startAnvil } from '../../testing/evm/start-anvil.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { forwardingNode } from '../../testing/nodes/forwarding-node.ts';
import { readAddress } from '../../testing/nodes/read-address.ts';
import { createEvmSource } from '../evm/fetch-evm-block.ts';
import { openEvmNode } from './evm-node/open-evm-node.ts';

const CHAIN = 'ethereum';
const NEVER = new AbortController().signal;
const ETHER = 10n ** 18n;
/** Long ago, so that blocks are indexed only from a time after them. */
const BEGIN = 1_700_000_000;
const INDEXED_SINCE = 1_750_000_000;

const PASSER = '0x00000000000000000000000000000000000c0de0';
// Passes all that it is sent on to the address in its call data.
const PASSING_CODE = '0x6000600060006000346000355af100';
/** A wallet that is a contract. */
const VAULT = '0x00000000000000000000000000000000000c0de2';
// Keeps what it is sent; where its call names an address, it pays all that it has to it.
const VAULT_CODE = '0x361560135760006000600060004760003' + '55af15b00';
const TOKEN = '0x00000000000000000000000000000000000c0de1';
// Says that its caller sent the amount in the second word of its call data to the address in the first.
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TOKEN_CODE = `0x602035600052600035337f${TRANSFER}60206000a300`;

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0');
/** Coin goes from wallet to wallet; one of them is the contract. */
const WALLETS = Array.from(
  { length: 26 },
  (_, at) => `0x${'7ea5'.repeat(9)}${(at + 1_000).toString().padStart(4, '0')}`,
);
const THIEF = WALLETS[0] ?? '';
const VAULT_AT = 12;
const TOKEN_WALLETS = Array.from({ length: 5 }, (_, at) => `0x${'70ce'.repeat(9)}${at + 1_000}`);

let node: Anvil;
let blocks: DecodedBlock[];

const send = (from: string, to: string, value: bigint, data?: string) =>
  node.send({ from, to, value, ...(data && { data }) });

/** Between the steps of a theft, strangers pay each other, and blocks are empty. */
const goOn = async (step: number): Promise<void> => {
  const accounts = await node.accounts();
  await send(accounts[step % 5] ?? '', accounts[5 + (step % 5)] ?? '', BigInt(step + 1));
  await node.ask('anvil_mine', '0x2');
};

const steal = async (): Promise<void> => {
  const [victim = ''] = await node.accounts();
  let left = 10n * ETHER;
  await send(victim, THIEF, left);
  for (const [at, wallet] of WALLETS.slice(0, -1).entries()) {
    await goOn(at);
    const next = WALLETS[at + 1] ?? '';
    // It pays its fees from what it got, and keeps a little.
    left -= ETHER / 100n;
    if (at === VAULT_AT) {
      await send(wallet, VAULT, left);
      await goOn(at);
      await send(wallet, VAULT, 0n, `0x${word(next)}`);
    } else if (at % 4 === 1) await send(wallet, PASSER, left, `0x${word(next)}`);
    else await send(wallet, next, left);
  }
};

const stealTokens = async (): Promise<void> => {
  const [victim = ''] = await node.accounts();
  let holder = victim;
  for (const [at, wallet] of TOKEN_WALLETS.entries()) {
    if (at > 0) await send(victim, holder, ETHER);
    await send(holder, TOKEN, 0n, `0x${word(wallet)}${word(5_000n)}`);
    await goOn(at);
    holder = wallet;
  }
};

beforeAll(async () => {
  node = await startAnvil('--slots-in-an-epoch', '1', '--timestamp', String(BEGIN));
  await node.ask('anvil_autoImpersonateAccount', true);
  for (const [address, code] of [
    [PASSER, PASSING_CODE],
    [VAULT, VAULT_CODE],
    [TOKEN, TOKEN_CODE],
  ])
    await node.ask('anvil_setCode', address, code);
  await steal();
  await stealTokens();
  // The node is past the first indexed block.
  await node.ask('evm_setNextBlockTimestamp', INDEXED_SINCE);
  await node.ask('anvil_mine', '0x8');
  const source = createEvmSource({ chain: CHAIN, url: node.url });
  const numbers = Array.from({ length: await source.head(NEVER) }, (_, at) => at + 1);
  const fetched = await Promise.all(numbers.map((number) => source.fetch(number, NEVER)));
  blocks = fetched.flatMap((each) => (each.status === 'block' ? [each.decoded] : []));
}, 120_000);
afterAll(() => node.stop());

type Read = { readonly address: string; readonly first: number; readonly windows: readonly ListedWindow[] };

/** Follows, and reads of each wallet that it lacks what left since the money came, as the service does. */
const readAlong = async (start: string, canonicalAsset: string, lacking: RegExp) => {
  const { url } = await forwardingNode(node.url, ({ method }) =>
    lacking.test(method) ? { code: -32_601, message: 'Method not found' } : null,
  );
  const opened = openEvmNode({ chain: CHAIN, url });
  const known = new KnownWindows();
  const single = new Map<string, DecodedBlock>();
  const reads: Read[] = [];
  const whole = new Set<string>();
  const backfills = {
    canBackfill: () => true,
    lastBackfill: (_: string, wallet: string) =>
      whole.has(wallet) ? { readAtUnixSeconds: INDEXED_SINCE, missing: 'coin' as const } : null,
    windows: (chain: string, wallet: string) => known.of(chain, wallet),
  };
  for (;;) {
    const reader = createMemoryReader([...single.values()], { indexedSince: INDEXED_SINCE });
    const request = toFollowRequest({ chain: CHAIN, start, canonicalAsset, maxHops: 40 });
    const trail = await follow(request, { ...followWith(reader), backfills });
    const { end, hops } = trail;
    const isUnread = end.reason === 'no_data' && end.because === 'unread';
    if (!isUnread || reads.some(({ address }) => address === end.address)) return { trail, reads, single };
    const arrival = hops.at(-1)?.carriers.map(({ blockNumber }) => blockNumber) ?? [0];
    const part = {
      first: Math.min(...arrival),
      order: 'oldest',
      side: 'out',
      asset: canonicalAsset,
    } as const;
    const told = await readAddress({ ...opened, known }, { address: end.address, ...part });
    for (const block of told.blocks) single.set(block.transactions[0]?.hash ?? '', block);
    if (end.address === start) whole.add(start);
    reads.push({ address: end.address, first: part.first, windows: told.windows });
  }
};

/** What left an address since a block, as its rows tell it. */
const leftOf = (all: Iterable<DecodedBlock>, { address, first }: Read, asset: string) =>
  [...all]
    .filter(({ number }) => number >= first)
    .toSorted((a, b) => a.number - b.number)
    .flatMap(({ number, movements }) =>
      movements
        .filter((row) => row.from === address && row.asset === asset)
        .map(({ to, amountRaw, kind }) => [number, to, amountRaw, kind]),
    );

const told = ({ hops, end }: Trail) => ({
  hops: hops.map(({ from, to, amountRaw, through, timeUnixSeconds }) => ({
    from,
    to,
    amountRaw,
    through,
    timeUnixSeconds,
  })),
  end: { reason: end.reason, address: end.address },
});

const followAll = (start: string, canonicalAsset: string): Promise<Trail> =>
  follow(
    toFollowRequest({ chain: CHAIN, start, canonicalAsset, maxHops: 40 }),
    followWith(createMemoryReader(blocks)),
  );

test('a theft of 25 hops, with calls of contracts and through a contract, is read from a node with nothing indexed as all its blocks tell it', async () => {
  const expected = told(await followAll(THIEF, 'native'));
  expect(expected.hops.length).toBeGreaterThanOrEqual(25);
  expect(expected.hops.map(({ to }) => to)).toContain(VAULT);
  expect(expected.end).toMatchObject({ reason: 'at_rest', address: WALLETS.at(-1) });
  const { trail, reads, single } = await readAlong(THIEF, 'native', /^$/);
  expect(told(trail)).toEqual(expected);
  for (const each of reads)
    expect(leftOf(single.values(), each, 'native'), each.address).toEqual(leftOf(blocks, each, 'native'));
  const proved = ({ windows }: Read) =>
    windows.some(({ proof, kinds }) => proof === 'proved' && kinds.includes('sent'));
  expect(reads.filter((each) => !proved(each))).toEqual([]);
});

test('on a node without any index of calls routers are passed, and nothing is said to be known of the first contract that keeps what it gets', async () => {
  const { trail, reads, single } = await readAlong(THIEF, 'native', /^(trace|ots)_|SenderAndNonce/);
  const { hops } = told(await followAll(THIEF, 'native'));
  const [contract] = hops.flatMap(({ to }) => (to === VAULT ? [to] : []));
  expect(told(trail)).toEqual({
    hops: hops.slice(0, trail.hops.length),
    end: { reason: 'no_data', address: contract },
  });
  expect(trail.hops.length).toBeGreaterThan(1);
  for (const each of reads.filter(({ address }) => address !== contract))
    expect(leftOf(single.values(), each, 'native'), each.address).toEqual(leftOf(blocks, each, 'native'));
});

test('a stolen token is read by its own logs, whatever the node lacks', async () => {
  const [start = ''] = TOKEN_WALLETS;
  const { trail, reads, single } = await readAlong(start, TOKEN, /^(trace|ots)_|SenderAndNonce/);
  expect(told(trail)).toEqual(told(await followAll(start, TOKEN)));
  expect(trail.hops).toHaveLength(TOKEN_WALLETS.length - 1);
  for (const each of reads) expect(leftOf(single.values(), each, TOKEN)).toEqual(leftOf(blocks, each, TOKEN));
});
