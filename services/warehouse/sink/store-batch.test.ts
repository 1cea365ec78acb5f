import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LogFileError } from '../../platform/event-log/embedded/log-file-error.ts';
import { openEmbeddedLog } from '../../platform/event-log/embedded/open-embedded-log.ts';
import { type EventLog, FencedError } from '../../platform/event-log/event-log.ts';
import { TOPICS } from '../../platform/event-log/topics.ts';
import { openStore, type Store } from '../../roles/store/open-store.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { readLag } from './lag.ts';
import type { Shown } from './planned-record.ts';
import { runSink } from './sink.ts';
import type { SinkTarget } from './store-batch.ts';

const HOUR_MS = 3_600_000;
const BYTES = 1 << 20;
const GROUP_KEY = { topic: 'transfers.history', key: 'k' };
const GROUP = { group: 'sink', topics: ['transfers.history'] };
const unused = (): never => {
  throw new Error('not called here');
};

const stage = async () => {
  const dataFolder = temporaryFolder();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: BYTES });
  onTestFinished(() => store.close());
  const block = buildBlock({
    ...{ chain: 'solana', number: 1, timeUnixSeconds: 1 },
    transactions: [{ hash: 'h', sender: 'a', movements: [{ from: 'a', to: 'b', amountRaw: 1n }] }],
  });
  const records = store.encodeBlock(block).map((value) => ({ topic: 'transfers.history', key: 'k', value }));
  await store.log.append(records);
  return {
    store,
    /** Another process, for which an hour without a sign of life from here has passed. */
    takeOver: async () => {
      const log = await openEmbeddedLog({
        ...{
          folder: join(store.folder, 'log'),
          topics: TOPICS,
          maxQueuedBytes: BYTES,
          maxRecordBytes: BYTES,
        },
        clock: { nowUnixMs: () => Date.now() + HOUR_MS },
      });
      onTestFinished(() => log.close());
      return log.consume(GROUP);
    },
  };
};

/** Refuses once, where it is asked to. */
const failOnce = (failure: () => Error) => {
  let isLeft = true;
  return <T>(isHere: boolean, action: () => Promise<T>): Promise<T> => {
    if (!isHere || !isLeft) return action();
    isLeft = false;
    return Promise.reject(failure());
  };
};

type Steps = Pick<SinkTarget, 'insert' | 'findShown'>;
const nothingShown: Shown = { partsAt: () => [], aloneAt: () => [], isKeptFinal: () => false };

const run = (store: Store, steps: Steps): Promise<void> => {
  const running = new AbortController();
  onTestFinished(() => running.abort());
  return runSink(
    {
      ...{ log: store.log, registry: store.registry, ...GROUP, batchBytesMax: BYTES, lingerMs: 0 },
      target: { ...steps, hideRetracted: unused, keepFinal: unused, deleteRetracted: unused },
      events: { inserted: unused, deadLetter: unused, waiting: () => {} },
      hurry: running.signal,
    },
    running.signal,
  );
};

test('an insert that failed is not sent again by a sink in whose place another one stores meanwhile', async () => {
  const { store, takeOver } = await stage();
  let attempts = 0;
  const insert = async (): Promise<void> => {
    attempts += 1;
    await takeOver();
    throw new Error('the tables are out of reach');
  };
  await expect(run(store, { insert, findShown: async () => nothingShown })).rejects.toBeInstanceOf(
    FencedError,
  );
  expect(attempts).toBe(1);
});

test('a sink that slept before its insert does not send it, and the next one finds nothing to repeat', async () => {
  const { store, takeOver } = await stage();
  const commits: unknown[] = [];
  const findShown = async (): Promise<Shown> => {
    const { resumedFrom } = await takeOver();
    commits.push(...resumedFrom);
    return nothingShown;
  };
  await expect(run(store, { insert: unused, findShown })).rejects.toBeInstanceOf(FencedError);
  expect(commits).toEqual([]);
});

describe('a log that is full for a moment is waited for, and what comes is stored once', () => {
  test.each(['the commit behind a batch', 'a dead letter', 'a poll'] as const)('at %s', async (where) => {
    const { store } = await stage();
    await store.log.append([{ ...GROUP_KEY, value: Buffer.from('no record') }]);
    const full = failOnce(() => new LogFileError('log_disk_full', 'the disk is full'));
    const log: EventLog = {
      ...store.log,
      append: (records) => full(where === 'a dead letter', () => store.log.append(records)),
      consume: async (request) => {
        const consumer = await store.log.consume(request);
        return {
          ...consumer,
          poll: (asked) => full(where === 'a poll', () => consumer.poll(asked)),
          commit: (commit) =>
            full(where === 'the commit behind a batch' && commit.metadata === '', () =>
              consumer.commit(commit),
            ),
        };
      },
    };
    const [inserts, waits]: [number[], unknown[]] = [[], []];
    let recovered = 0;
    const stopping = new AbortController();
    const running = runSink(
      {
        ...{ log, registry: store.registry, ...GROUP, batchBytesMax: BYTES, lingerMs: 0 },
        target: {
          insert: async (records) => void inserts.push(records.length),
          findShown: async () => nothingShown,
          keepFinal: unused,
          hideRetracted: unused,
          deleteRetracted: unused,
        },
        events: {
          inserted: () => {},
          deadLetter: () => {},
          waiting: (reason) => void waits.push(reason),
          recovered: () => {
            recovered += 1;
          },
        },
        hurry: stopping.signal,
      },
      stopping.signal,
    );
    const lag = () => readLag(store.log, GROUP.group, GROUP.topics);
    await Promise.race([expect.poll(lag, PATIENCE).toBe(0), running]);
    stopping.abort();
    await running;
    expect(waits).toMatchObject([{ code: 'log_disk_full' }]);
    expect(recovered).toBe(1);
    expect(inserts).toEqual([1]);
    expect((await store.log.ranges('dead-letters')).map(({ end }) => end)).toEqual([1]);
  });
});

test('while one batch is refused it is not said that the tables answer again, whatever becomes of others', async () => {
  const { store } = await stage();
  const [first] = (await store.log.ranges(GROUP_KEY.topic)).filter(({ end }) => end > 0);
  const [one = 0, other = 0] = [0, 1, 2].filter((partition) => partition !== first?.partition);
  for (const partition of [one, other]) {
    const block = buildBlock({
      chain: 'solana',
      number: 2 + partition,
      timeUnixSeconds: 1,
      transactions: [],
    });
    await store.log.append(store.encodeBlock(block).map((value) => ({ ...GROUP_KEY, partition, value })));
  }
  const nameOf = (partition: number): string => `${GROUP_KEY.topic}-${partition}`;
  const refused = new Set([nameOf(one), nameOf(other)]);
  const [inserted, waits]: [string[], unknown[]] = [[], []];
  let recovered = 0;
  const stopping = new AbortController();
  const running = runSink(
    {
      ...{ log: store.log, registry: store.registry, ...GROUP, batchBytesMax: BYTES, lingerMs: 0 },
      target: {
        insert: async (_, token) => {
          const partition = token.split('-').slice(0, 2).join('-');
          if (refused.has(partition)) throw new Error('the engine refuses');
          inserted.push(partition);
        },
        findShown: async () => nothingShown,
        ...{ keepFinal: unused, hideRetracted: unused, deleteRetracted: unused },
      },
      events: {
        inserted: () => {},
        deadLetter: unused,
        waiting: (reason) => void waits.push(reason),
        recovered: () => {
          recovered += 1;
        },
      },
      hurry: stopping.signal,
    },
    stopping.signal,
  );
  await expect.poll(() => waits.length, PATIENCE).toBeGreaterThan(1);
  refused.delete(nameOf(other));
  await expect.poll(() => inserted, PATIENCE).toContain(nameOf(other));
  const commitOf = async (at: number) =>
    (await store.log.commits(GROUP.group)).find(({ partition }) => partition === at)?.offset;
  await expect.poll(() => commitOf(other), PATIENCE).toBe(1);
  expect(recovered).toBe(0);
  refused.clear();
  await expect.poll(() => readLag(store.log, GROUP.group, GROUP.topics), PATIENCE).toBe(0);
  expect(recovered).toBe(1);
  stopping.abort();
  await running;
});
