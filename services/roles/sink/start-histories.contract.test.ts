import { expect, test } from 'vitest';
import { openHistoryEvents } from '../../events/history-events.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, SinkStage } from '../../testing/sink-stage.ts';
import { createHistoryReader } from '../../warehouse/read/histories/listed-windows.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { HISTORY_GROUP, HISTORY_TOPICS, startHistories } from './start-histories.ts';
import { SINK_GROUP } from './start-sink.ts';

const stage = new SinkStage();

const window = (address: string, fields: Partial<ListedWindow> = {}): ListedWindow => ({
  ...{ chain: 'solana', address, kinds: ['sent', 'tokens_out'], asset: null, first: 1, last: 2 ** 40 },
  ...{ lastUnixSeconds: null, source: 'solana-node', proof: 'listed', reason: null },
  ...{ transactions: 3, readAtUnixSeconds: 1_700_000_000 },
  ...fields,
});

const tell = async (...windows: ListedWindow[]): Promise<void> => {
  const events = await openHistoryEvents(stage.store.registry);
  await stage.store.log.append(windows.map((each) => events.listed(each)));
};

const read = (chain: string, ...addresses: string[]) => {
  const limits = { signal: new AbortController().signal, timeoutMs: 10_000 };
  return createHistoryReader(stage.warehouse.reader).windows({ chain }, addresses, limits);
};

/** Runs the sink until it has nothing left to do. */
const drain = async (meanwhile: () => Promise<void> = async () => {}, store = stage.store): Promise<void> => {
  const { warehouse } = stage;
  const running = startHistories({ store, warehouse, logger: createLogger({ level: 'silent' }) });
  try {
    await meanwhile();
    await expect.poll(() => readLag(store.log, HISTORY_GROUP, HISTORY_TOPICS), PATIENCE).toBe(0);
  } finally {
    await running.stop();
  }
};

test('what was read of an address is told as it was said, by its key and in the order of reading', async () => {
  const first = window('ann');
  const empty = window('ann', { transactions: 0, first: 2 ** 40, last: 2 ** 41 });
  const partial = window('ann', { asset: 'token', proof: 'partial', reason: 'pruned', lastUnixSeconds: 7 });
  await tell(first, window('bea'), empty, partial, window('ann', { chain: 'base' }));
  await drain();
  expect(await read('solana', 'ann', 'nobody')).toEqual([[first, empty, partial], []]);
  expect((await read('solana', 'ann', 'bea')).map((of) => of.length)).toEqual([3, 1]);
});

test('a window is in the table once, however often its batch is repeated', async () => {
  await tell(window('ann'));
  await drain();
  await stage.store.log.forgetGroup(HISTORY_GROUP);
  await drain();
  expect((await read('solana', 'ann')).flat()).toHaveLength(1);
});

test('a window is told only when the tables hold the transactions before it', async () => {
  await stage.append(stage.encoded(blockOf(1)));
  await tell(window('wallet-0'));
  const { store } = stage;
  let looks = 0;
  const commits: EventLog['commits'] = (group) => {
    if (group === SINK_GROUP) looks += 1;
    return store.log.commits(group);
  };
  const untilSeen = async (): Promise<void> => {
    // It waits for the tables, which nobody fills yet.
    await expect.poll(() => looks, PATIENCE).toBeGreaterThan(1);
    expect((await read('solana', 'wallet-0')).flat().length).toBe(0);
    await stage.drain();
  };
  await drain(untilSeen, { ...store, log: { ...store.log, commits } });
  expect((await read('solana', 'wallet-0')).flat().length).toBe(1);
});
