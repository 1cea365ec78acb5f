import { beforeAll, expect, test } from 'vitest';
import { CONTROL_KINDS } from '../../investigate/model/control-event.ts';
import type {
  ControlPosition,
  ControlReader,
  ControlRequest,
  PlacedControlEvent,
} from '../../investigate/model/control-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { createMemoryControlReader } from '../../testing/memory/memory-control-reader.ts';
import { CHAINS, randomBlocks, WALLETS } from '../../testing/random-blocks.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { createControlReader } from './create-control-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const blocks = randomBlocks(20_261_127);
const memory = createMemoryControlReader(blocks);
const stage = new TableStage();
let tables: ControlReader;

beforeAll(async () => {
  for (const part of [0, 1]) await stage.insert(blocks.filter((_, index) => index % 2 === part));
  tables = createControlReader(stage.warehouse.reader);
});

const QUESTIONS = ['eventsOf', 'eventsOfHolder', 'eventsByParty'] as const;
type Question = (typeof QUESTIONS)[number];

const drain = async (
  reader: ControlReader,
  question: Question,
  request: Omit<ControlRequest, keyof typeof limits>,
): Promise<PlacedControlEvent[]> => {
  const events: PlacedControlEvent[] = [];
  for (let after: ControlPosition | null | undefined; after !== null; ) {
    const page = await reader[question]({ ...request, ...(after && { after }), ...limits });
    expect(page.events.length).toBeLessThanOrEqual(request.limit);
    events.push(...page.events);
    after = page.next;
  }
  return events;
};

test('what happened to, by and for everybody is the same as in memory, in both orders and whatever the page size', async () => {
  let seen = 0;
  for (const question of QUESTIONS) {
    for (const chain of CHAINS) {
      for (const address of ["d'ot", 'token', "x' OR 1 = 1 --"]) {
        for (const order of ['newest_first', 'oldest_first'] as const) {
          const request = { chain, address, kinds: CONTROL_KINDS, order, limit: 10_000 };
          const expected = await drain(memory, question, request);
          seen += expected.length;
          const limit = order === 'newest_first' ? 25 : 10_000;
          expect(await drain(tables, question, { ...request, limit })).toEqual(expected);
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(200);
});

test('only the kinds and the time that were asked for are told', async () => {
  const request = { chain: 'solana', address: 'ann', kinds: ['approval', 'frozen'], limit: 7 } as const;
  const span = { fromUnixSeconds: 1_700_000_003, toUnixSeconds: 1_700_000_012 };
  let seen = 0;
  for (const order of ['newest_first', 'oldest_first'] as const) {
    const expected = await drain(memory, 'eventsOfHolder', { ...request, ...span, order });
    seen += expected.length;
    expect(await drain(tables, 'eventsOfHolder', { ...request, ...span, order })).toEqual(expected);
  }
  expect(seen).toBeGreaterThan(4);
});

test('who called a program most is the same as in memory, also of only the newest counts', async () => {
  let seen = 0;
  for (const chain of CHAINS) {
    for (const program of [...WALLETS, 'token', 'nobody']) {
      for (const rowsMax of [1_000, 3]) {
        const request = { chain, program, rowsMax, limit: 5, ...limits };
        const expected = await memory.topCallers(request);
        seen += expected.callers.length;
        expect(await tables.topCallers(request)).toEqual(expected);
      }
    }
  }
  expect(seen).toBeGreaterThan(20);
});

test('control events are kept since the last block that was read without them', async () => {
  const chain = 'base';
  const numbered = (number: number) => ({ chain, number, timeUnixSeconds: 1_700_000_000 + number });
  const block = (number: number, controlCoverage: 'none' | 'outer' | 'full') =>
    buildBlock({ ...numbered(number), transactions: [], controlCoverage });
  const last = 400;
  await stage.insert(
    Array.from({ length: last }, (_, i) =>
      block(i + 1, i + 1 === 200 ? 'none' : i % 2 === 0 ? 'outer' : 'full'),
    ),
  );
  expect(await createControlReader(stage.warehouse.reader).controlSpan({ chain, ...limits })).toEqual({
    ...{ fromUnixSeconds: 1_700_000_201, toUnixSeconds: 1_700_000_000 + last },
    ...{ fromBlock: 201, toBlock: last, beginsChain: false },
  });
  expect(await tables.controlSpan({ chain: 'polygon', ...limits })).toBeNull();
});

test('what was taken back is not told, and an aborted question is aborted', async () => {
  const { writer } = stage.warehouse;
  const request = { chain: 'ethereum', address: 'ann', kinds: CONTROL_KINDS, limit: 1_000 } as const;
  const asked = { ...request, order: 'oldest_first' as const };
  await writer.command({
    query: 'INSERT INTO retracted SELECT DISTINCT sequence FROM control_entries WHERE block_number % 2 = 0',
  });
  const all = await drain(memory, 'eventsOfHolder', asked);
  const standing = all.filter(({ blockNumber }) => blockNumber % 2 === 1);
  expect(standing.length).toBeLessThan(all.length);
  expect(await drain(tables, 'eventsOfHolder', asked)).toEqual(standing);
  await writer.command({ query: 'TRUNCATE TABLE retracted' });
  const aborted = { signal: AbortSignal.abort(), timeoutMs: 1_000 };
  await expect(tables.eventsOf({ ...asked, ...aborted })).rejects.toThrow(ReadFailedError);
});
