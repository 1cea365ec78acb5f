import { expect, onTestFinished, test } from 'vitest';
import { openStore, type Store } from '../../../roles/store/open-store.ts';
import { followChain, readStanding, untilHeld } from '../../../testing/follow-chain.ts';
import { type BranchingNode, startBranchingNode } from '../../../testing/nodes/branching-solana-node.ts';
import { startSlotServer } from '../../../testing/nodes/slot-server.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { readBlockNotification } from './block-notification.ts';
import { createSolanaSource } from './fetch-solana-block.ts';
import { subscribeToBlocks } from './subscribe-to-blocks.ts';

const PATIENCE = { timeout: 20_000, interval: 10 };
const NEVER_MS = 3_600_000;
const WORLD = { seed: 5, people: 8, days: 1, blockSeconds: 1_800 };
const HEAD = { topic: 'transfers.head', partition: 0 };

const openLog = async (): Promise<Store> => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  return store;
};

/** A chain whose node pushes blocks, followed into a log; its head is asked for where a test says so, unless told of. */
const followPushed = async ({ pushesBlocks = true, pollMs = NEVER_MS, heldMax = 1 << 30 } = {}) => {
  const node = await startBranchingNode(WORLD);
  const sockets = await startSlotServer({ pushesBlocks });
  const store = await openLog();
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const refusals: number[] = [];
  const asked = createSolanaSource({ chain: 'solana', url: node.url, commitment: 'confirmed' });
  const options = { url: sockets.url, commitment: 'confirmed', reconnectMs: 10, heldMax } as const;
  const source = subscribeToBlocks(
    asked,
    { ...options, refused: (code) => refusals.push(code) },
    stopping.signal,
  );
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(pushesBlocks ? 1 : 2);
  const begin = node.follow(2);
  const following = followChain(store, source, { firstBlock: node.firstSlot, pollMs });
  onTestFinished(() => following.stop());
  const until = (hash: string) => untilHeld(store, { chain: 'solana', hash, following });
  await until(begin);
  /** The newest blocks that the node shows, but for those at some places of them. */
  const push = (count: number, isMissed: (place: number) => boolean = () => false): void => {
    for (const [place, { slot, result }] of node.newest(count).entries())
      if (!isMissed(place)) sockets.push(slot, result);
  };
  const next = node.follow(3);
  // The first is asked for as well: what is pushed is believed from there on.
  if (pushesBlocks) push(1);
  else sockets.tell(node.firstSlot + 3);
  await until(next);
  const asksSince = (request: number) => node.requests.slice(request).flat();
  return { node, sockets, store, refusals, until, push, asksSince };
};

/** What the log gets of the blocks that a node shows but does not push. */
const askedFor = async (show: (node: BranchingNode) => string): Promise<Uint8Array[]> => {
  const node = await startBranchingNode(WORLD);
  const store = await openLog();
  const hash = show(node);
  const source = createSolanaSource({ chain: 'solana', url: node.url, commitment: 'confirmed' });
  const following = followChain(store, source, { firstBlock: node.firstSlot });
  await untilHeld(store, { chain: 'solana', hash, following });
  await following.stop();
  return valuesIn(store);
};

const valuesIn = async ({ log }: Store): Promise<Uint8Array[]> => {
  const values: Uint8Array[] = [];
  for (;;) {
    const records = await log.read({ ...HEAD, offset: values.length, maxBytes: 1 << 24 });
    if (records.length === 0) return values;
    values.push(...records.map(({ value }) => Uint8Array.from(value)));
  }
};

test('blocks that a node pushes are taken without asking for any, and neither for the slots that they skip', async () => {
  const { node, sockets, store, until, push, asksSince } = await followPushed();
  expect(JSON.parse(sockets.received[0] ?? '')).toMatchObject({
    method: 'blockSubscribe',
    params: [
      'all',
      {
        commitment: 'confirmed',
        encoding: 'json',
        transactionDetails: 'full',
        showRewards: true,
        maxSupportedTransactionVersion: 1,
      },
    ],
  });
  const before = node.requests.length;
  // Of a branch the first slot is skipped.
  const hash = node.fork(3, 20);
  push(16);
  await until(hash);
  expect(asksSince(before)).toEqual([]);
  expect(await valuesIn(store)).toEqual(await askedFor((other) => other.fork(3, 20)));
});

test('what is not pushed, comes twice, or while the connection is lost, is in the log once', async () => {
  const { node, sockets, store, until, push } = await followPushed();
  let hash = node.follow(10);
  push(7, (place) => place === 2 || place === 3);
  await until(hash);
  sockets.hangUp();
  node.follow(15);
  push(5);
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(2);
  hash = node.follow(18);
  push(6);
  push(3);
  await until(hash);
  expect(await valuesIn(store)).toEqual(await askedFor((other) => other.follow(18)));
});

test('a slot that a pushed block names as its parent is asked for, and so is one before a block that names none', async () => {
  const node = await startBranchingNode(WORLD);
  const sockets = await startSlotServer({ pushesBlocks: true });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const { signal } = stopping;
  const asked = createSolanaSource({ chain: 'solana', url: node.url, commitment: 'confirmed' });
  const options = { url: sockets.url, commitment: 'confirmed', refused: () => {} } as const;
  const source = subscribeToBlocks(asked, options, signal);
  node.follow(3);
  const [before, last] = node.newest(2);
  if (!before || !last) throw new TypeError('the node shows two blocks');
  const { parentSlot, ...parentless } = last.result;
  const push = async (slot: number, result: object): Promise<void> => {
    sockets.push(slot, result);
    await expect.poll(() => source.head(signal), PATIENCE).toBe(slot);
  };
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(1);
  const compare = async (): Promise<number> => {
    sockets.push(before.slot, before.result);
    await source.fetch(before.slot, signal);
    return source.head(signal);
  };
  await expect.poll(compare, PATIENCE).toBe(before.slot);
  await push(last.slot + 1, parentless);
  expect(await source.fetch(before.slot, signal)).toMatchObject({ status: 'block' });
  await push(last.slot + 2, { ...last.result, parentSlot: last.slot });
  expect(await source.fetch(last.slot, signal)).toMatchObject({ status: 'block' });
});

test('blocks that a node of another chain pushes are not taken for those of this one', async () => {
  const [node, stranger] = [await startBranchingNode(WORLD), await startBranchingNode({ ...WORLD, seed: 6 })];
  const sockets = await startSlotServer({ pushesBlocks: true });
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const { signal } = stopping;
  const asked = createSolanaSource({ chain: 'solana', url: node.url, commitment: 'confirmed' });
  const options = { url: sockets.url, commitment: 'confirmed', refused: () => {} } as const;
  const source = subscribeToBlocks(asked, options, signal);
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(1);
  node.follow(3);
  stranger.follow(9);
  for (const { slot, result } of stranger.newest(10)) sockets.push(slot, result);
  await source.headMoved?.(NEVER_MS, signal);
  for (const { slot, result } of node.newest(4)) {
    expect(await source.head(signal)).toBe(node.newest(1)[0]?.slot);
    expect(await source.fetch(slot, signal)).toMatchObject({ decoded: { hash: result.blockhash } });
  }
});

test('what was pushed of a branch that the chain abandons is taken back with what takes its place', async () => {
  const { node, store, until, push } = await followPushed();
  const start = await valuesIn(store);
  const abandoned = node.fork(3, 9);
  push(5);
  await until(abandoned);
  const hash = node.follow(12);
  push(2);
  await until(hash);
  const standing = await readStanding(store, 'solana');
  expect(standing.map((block) => block.hash)).toEqual(node.newest(13).map(({ result }) => result.blockhash));
  expect((await valuesIn(store)).length).toBeGreaterThan(start.length + 9);
});

test('blocks that nobody took in time make room for newer ones, and are asked for', async () => {
  const { node, store, until, push } = await followPushed({ heldMax: 1 });
  const hash = node.follow(10);
  push(7);
  await until(hash);
  expect(await valuesIn(store)).toEqual(await askedFor((other) => other.follow(10)));
});

test('a node that does not push blocks says so once, and tells of slots instead', async () => {
  const { node, sockets, store, refusals, until } = await followPushed({ pushesBlocks: false });
  expect(sockets.received[1]).toContain('"slotSubscribe"');
  let hash = node.follow(6);
  sockets.tell(node.firstSlot + 6);
  await until(hash);
  sockets.hangUp();
  await expect.poll(() => sockets.received.length, PATIENCE).toBe(4);
  hash = node.follow(8);
  sockets.tell(node.firstSlot + 8);
  await until(hash);
  expect(refusals).toEqual([-32_601]);
  expect(await valuesIn(store)).toEqual(await askedFor((other) => other.follow(8)));
});

const BLOCK = '{"parentSlot":6,"transactions":[{"meta":{"preBalances":[18446744073709551615]}}]}';

test.each([
  `{"jsonrpc":"2.0","method":"blockNotification","params":{"result":{"context":{"slot":7},"value":{"slot":7,"block":${BLOCK},"err":null}},"subscription":14}}`,
  `{ "method": "blockNotification", "params": { "subscription": 14, "result": { "context": { "slot": 7 }, "value": { "err": null, "slot": 7, "block": ${BLOCK} } } }, "jsonrpc": "2.0" }`,
  `{"params":{"result":{"value":{"slot":7,"err":null,"block":${BLOCK}}},"subscription":14},"jsonrpc":"2.0","method":"blockNotification"}`,
])('a block is found in its notification to the letter, in whatever order that is written: %#', (message) => {
  expect(readBlockNotification(message)).toEqual({ slot: 7, parentSlot: 6, resultText: BLOCK });
});

test.each([
  '{"jsonrpc":"2.0","method":"blockNotification","params":{"result":{"context":{"slot":7},"value":{"slot":7,"block":null,"err":{"BlockStoreError":null}}},"subscription":14}}',
  `{"jsonrpc":"2.0","method":"blockNotification","params":{"result":{"context":{"slot":7},"value":{"slot":7,"block":${BLOCK},"err":`,
])('a notification without its block, or cut short, holds none: %#', (message) => {
  expect(readBlockNotification(message)).toBeNull();
});
