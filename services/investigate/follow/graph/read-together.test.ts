import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toFlowRequest } from '../../../testing/ask-graph.ts';
import { move, tellStory } from '../../../testing/chain-story.ts';
import { createMemoryReader } from '../../../testing/memory-reader.ts';
import { NATIVE } from '../../model/movement.ts';
import { type FlowPage, ReadFailedError, type TransferReader } from '../../model/transfer-reader.ts';
import { BudgetSpentError } from '../follow-reader.ts';
import { readTogether } from './read-together.ts';

const SOLANA = toFlowRequest().chain;
const FIRST = { blockTime: 0, blockNumber: 0, txIndex: -1, step: 0 };

const requestOf = (wallet: string, signal: AbortSignal) => ({
  ...{ chain: 'solana', wallet, canonicalAsset: NATIVE, ownOnly: false, from: FIRST, limit: 10 },
  ...{ signal, timeoutMs: 1_000 },
});

test('a flow that has read its rows reads no more, and is given again what it has', async () => {
  const story = tellStory('solana', [
    { time: 1, moves: [move('ann', 'bea', 1n)] },
    { time: 2, moves: [move('ann', 'bea', 2n)] },
    { time: 3, moves: [move('bea', 'cyd', 3n)] },
  ]);
  const { reader, counts } = readTogether(createMemoryReader(story), {
    chain: SOLANA,
    first: FIRST,
    rowsMax: 2,
  });
  const { signal } = new AbortController();
  const ask = (wallet: string) => reader.departures(requestOf(wallet, signal));
  const page = await ask('ann');
  expect(page.rows).toHaveLength(2);
  await expect(ask('bea')).rejects.toThrow(BudgetSpentError);
  expect(await ask('ann')).toEqual(page);
  expect(counts()).toMatchObject({ questions: 1, rows: 2 });
});

test('labels of another chain are asked of that chain', async () => {
  const asked: string[] = [];
  const tables = {
    ...createMemoryReader([]),
    labels: async ({
      chain,
      addresses,
    }: {
      readonly chain: string;
      readonly addresses: readonly string[];
    }) => {
      asked.push(`${chain} ${addresses}`);
      return new Map(addresses.map((address) => [address, { name: chain, kind: 'other' as const }]));
    },
  };
  const { reader } = readTogether(tables, { chain: SOLANA, first: FIRST });
  const { signal } = new AbortController();
  const nameOn = async (chain: string) => {
    const labels = await reader.labels({ chain, addresses: ['ann'], signal, timeoutMs: 1_000 });
    return labels.get('ann')?.name;
  };
  expect([await nameOn('solana'), await nameOn('base'), await nameOn('solana')]).toEqual([
    'solana',
    'base',
    'solana',
  ]);
  expect(asked).toEqual(['solana ann', 'base ann']);
});

const timesOf = ({ rows }: FlowPage): number[] => rows.map(({ blockTime }) => blockTime);

const ROWS = 30;
/** All that came or went from a time on, page by page. */
const readAll = async (
  reader: TransferReader,
  {
    side,
    time,
    limit,
  }: { readonly side: 'departures' | 'arrivals'; readonly time: number; readonly limit: number },
): Promise<number[]> => {
  const asked = { ...requestOf('ann', new AbortController().signal), limit };
  const times: number[] = [];
  let from: FlowPage['next'] = { ...FIRST, blockTime: time, blockNumber: time, txIndex: 0 };
  while (from !== null && times.length <= ROWS) {
    const page: FlowPage = await reader[side]({ ...asked, from });
    times.push(...timesOf(page));
    from = page.next;
  }
  return times;
};

test('whoever asks from whatever time on, alone or while others ask, is given every row once', async () => {
  const whole = createMemoryReader(
    tellStory(
      'solana',
      Array.from({ length: ROWS }, (_, at) => ({
        time: at,
        moves: [move('ann', 'bea', 1n), move('bea', 'ann', 1n)],
      })),
    ),
  );
  const asked = fc.record({
    side: fc.constantFrom('departures' as const, 'arrivals' as const),
    time: fc.integer({ min: 0, max: ROWS - 1 }),
    limit: fc.integer({ min: 2, max: 6 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(asked, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      async (groups) => {
        const flowsTogether: typeof whole.flowsTogether = (request) => {
          expect(request.places).toHaveLength(1);
          return whole.flowsTogether(request);
        };
        const { reader } = readTogether({ ...whole, flowsTogether }, { chain: SOLANA, first: FIRST });
        for (const group of groups)
          expect(await Promise.all(group.map((one) => readAll(reader, one)))).toEqual(
            await Promise.all(group.map((one) => readAll(whole, one))),
          );
      },
    ),
  );
});

test('where the time of one who asks is over, the others of its question have no answer in time', async () => {
  const tables = {
    ...createMemoryReader([]),
    flowsTogether: ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new ReadFailedError('aborted')));
      }),
  };
  const { reader } = readTogether(tables, { chain: SOLANA, first: FIRST });
  const [ann, bea] = [new AbortController(), new AbortController()];
  const asked = Promise.allSettled([
    reader.departures(requestOf('ann', ann.signal)),
    reader.departures(requestOf('bea', bea.signal)),
  ]);
  setImmediate(() => setImmediate(() => ann.abort()));
  expect(await asked).toMatchObject([{ reason: { code: 'aborted' } }, { reason: { code: 'timeout' } }]);
});

test('where a question of many takes too long, only an eighth of them stays unread for one that is slow', async () => {
  const names = Array.from({ length: 50 }, (_, at) => `wallet ${at}`);
  const story = names.map((name, at) => ({ time: at, moves: [move(name, 'bea', 1n)] }));
  const whole = createMemoryReader(tellStory('solana', story));
  const sizes: number[] = [];
  const flowsTogether: typeof whole.flowsTogether = (request) => {
    sizes.push(request.places.length);
    const isSlow = request.places.some(({ wallet }) => wallet === 'wallet 7');
    return isSlow ? Promise.reject(new ReadFailedError('timeout')) : whole.flowsTogether(request);
  };
  const { reader } = readTogether({ ...whole, flowsTogether }, { chain: SOLANA, first: FIRST });
  const { signal } = new AbortController();
  const read = await Promise.allSettled(names.map((name) => reader.departures(requestOf(name, signal))));
  const unread = read.filter(({ status }) => status === 'rejected');
  expect(sizes).toEqual([50, 25, 25, 13, 12, 7, 6]);
  expect(unread).toHaveLength(6);
});
