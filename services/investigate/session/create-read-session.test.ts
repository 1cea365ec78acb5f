import { expect, test } from 'vitest';
import { ReadFailedError, type ReadLimits } from '../model/transfer-reader.ts';
import { SHARED } from './ask-list.ts';
import { createReadSession } from './create-read-session.ts';
import { kind } from './kinds/make-kind.ts';
import { BudgetSpentError } from './left-out.ts';
import { openReads } from './open-reads.ts';

type Request = ReadLimits & { readonly chain: string; readonly wallets: readonly string[] };

/** A reader whose answers have as many rows as the wallet's name has letters. */
const opened = (
  ask: (request: Request) => Promise<readonly string[]> = async ({ wallets }) => wallets,
  options: Parameters<typeof openReads>[1] = {},
) =>
  openReads((count) => {
    const reader = count({ ask });
    return {
      rows: kind<{ readonly chain: string }, string, string>({
        query: (common, wallets, limits) => reader.ask({ ...common, wallets, ...limits }),
        rowsOf: (wallet) => wallet.length,
      }),
    };
  }, options);

const session = (
  open: ReturnType<typeof opened>,
  { clock = { nowUnixMs: (): number => 0 }, keptMs = 0, signal = new AbortController().signal } = {},
) => createReadSession(open, { clock, signal, budget: { ms: 10_000, readMs: 4_000, keptMs } });

test('a read has the time of one query, and at the end of the budget what is left', async () => {
  let nowMs = 0;
  const given: number[] = [];
  const open = opened(async ({ wallets, timeoutMs }) => {
    given.push(timeoutMs);
    return wallets;
  });
  const { reads, keeping } = session(open, { clock: { nowUnixMs: () => nowMs }, keptMs: 1_000 });
  await reads.rows({ chain: 'a' }, ['ann']);
  nowMs = 7_000;
  await reads.rows({ chain: 'a' }, ['ann']);
  nowMs = 9_500;
  await expect(reads.rows({ chain: 'a' }, ['ann'])).rejects.toThrow(BudgetSpentError);
  await keeping(0).rows({ chain: 'a' }, ['ann']);
  expect(given).toEqual([4_000, 2_000, 500]);
});

test('a query that times out is a failed read, and the last one that does is the end of the budget', async () => {
  let nowMs = 0;
  const { reads } = session(
    opened(() => Promise.reject(new ReadFailedError('timeout'))),
    { clock: { nowUnixMs: () => nowMs } },
  );
  await expect(reads.rows({ chain: 'a' }, ['ann'])).rejects.toThrow(ReadFailedError);
  nowMs = 6_000;
  await expect(reads.rows({ chain: 'a' }, ['ann'])).rejects.toThrow(BudgetSpentError);
});

test('what is common to the keys of a list is the same for all of them', async () => {
  const asked: string[] = [];
  const open = opened(async ({ chain, wallets }) => {
    asked.push(`${chain} ${wallets}`);
    return wallets;
  });
  const { reads, spent } = session(open);
  await Promise.all([
    reads.rows({ chain: 'a' }, ['ann']),
    reads.rows({ chain: 'b' }, ['bea']),
    reads.rows({ chain: 'a' }, ['cyd', 'ann']),
  ]);
  expect(asked).toEqual(['a ann,cyd', 'b bea']);
  expect(spent()).toEqual({ queries: 2, rows: 9, bytes: 0 });
});

test('of many questions that share their reads two lists of a kind are on their way at once, whatever they are about', async () => {
  let [underway, most] = [0, 0];
  const ask = async ({ wallets }: Request): Promise<readonly string[]> => {
    underway += 1;
    most = Math.max(most, underway);
    await new Promise((resolve) => setImmediate(resolve));
    underway -= 1;
    return wallets;
  };
  const { reads } = session(opened(ask, { policy: SHARED }));
  const chains = Array.from({ length: 20 }, (_, at) => `chain ${at}`);
  const told = await Promise.all(chains.map((chain) => reads.rows({ chain }, [`ann of ${chain}`])));
  expect(told).toEqual(chains.map((chain) => [`ann of ${chain}`]));
  expect(most).toBe(2);
});

test('beyond its rows nothing more is read', async () => {
  const { reads, spent } = session(opened(undefined, { rowsMax: 3 }));
  await reads.rows({ chain: 'a' }, ['ann']);
  await expect(reads.rows({ chain: 'a' }, ['bea'])).rejects.toThrow(BudgetSpentError);
  expect(spent()).toEqual({ queries: 1, rows: 3, bytes: 0 });
});

test('beyond the text of its answers nothing more is read', async () => {
  const asked = async ({ wallets, onBytes }: Request): Promise<readonly string[]> => {
    for (const wallet of wallets) onBytes?.(wallet.length);
    return wallets;
  };
  const { reads, spent } = session(opened(asked, { bytesMax: 3 }));
  await reads.rows({ chain: 'a' }, ['ann']);
  await expect(reads.rows({ chain: 'a' }, ['bea'])).rejects.toThrow(BudgetSpentError);
  expect(spent()).toEqual({ queries: 1, rows: 3, bytes: 3 });
});

test('one list names all that was cut: what a reader could not tell, and what a question left out', async () => {
  const open = openReads(() => ({
    rows: kind<object, string, string | null>({
      query: async (_, wallets) => wallets.map((wallet) => (wallet === 'busy' ? null : wallet)),
      isCut: (rows) => rows === null,
    }),
  }));
  const { reads, cut, leaveOut } = createReadSession(open, {
    clock: { nowUnixMs: () => 0 },
    signal: new AbortController().signal,
    budget: { ms: 10_000, readMs: 4_000 },
  });
  await reads.rows({}, ['ann', 'busy']);
  leaveOut('payments', 'only the first were read');
  leaveOut('payments', 'and the last');
  expect([...cut].map(([part, missing]) => [part, ...missing])).toEqual([
    ['rows', 'busy'],
    ['payments', 'only the first were read', 'and the last'],
  ]);
});

test('an optional part that is too late is cut and named, and one that cannot be read is not', async () => {
  let code: 'timeout' | 'unavailable' = 'timeout';
  const { attempt, cut } = session(opened(() => Promise.reject(new ReadFailedError(code))));
  expect(await attempt('labels', (reads) => reads.rows({ chain: 'a' }, ['ann']))).toBeNull();
  expect([...cut.keys()]).toEqual(['labels']);
  code = 'unavailable';
  await expect(attempt('prices', (reads) => reads.rows({ chain: 'a' }, ['ann']))).rejects.toMatchObject({
    code,
  });
  expect([...cut.keys()]).toEqual(['labels']);
});

test('two sessions over the same reads share their lists, and each has its own signal', async () => {
  const lists: string[][] = [];
  const open = opened(async ({ wallets }) => {
    lists.push([...wallets]);
    return wallets;
  });
  const over = new AbortController();
  const [one, other] = [session(open, { signal: over.signal }), session(open)];
  const left = expect(one.reads.rows({ chain: 'a' }, ['ann'])).rejects.toMatchObject({ code: 'aborted' });
  const stayed = other.reads.rows({ chain: 'a' }, ['bea']);
  const alike = other.reads.rows({ chain: 'a' }, ['ann']);
  over.abort();
  await left;
  expect([await stayed, await alike]).toEqual([['bea'], ['ann']]);
  expect(lists).toEqual([['ann', 'bea']]);
});
