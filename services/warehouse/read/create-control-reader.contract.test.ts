import { beforeAll, expect, test } from 'vitest';
import { CONTROL_KINDS } from '../../investigate/model/control-event.ts';
import type { ControlReader } from '../../investigate/model/control-reader.ts';
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
test('what happened to, by and for each of many is the same as in memory, in both orders and up to the limit', async () => {
  let seen = 0;
  let cut = 0;
  const asked = ["d'ot", 'token', 'nobody', "x' OR 1 = 1 --"].map((address) => ({ address }));
  for (const question of QUESTIONS) {
    for (const chain of CHAINS) {
      for (const order of ['newest_first', 'oldest_first'] as const) {
        for (const limit of [7, 10_000]) {
          const common = { chain, kinds: CONTROL_KINDS, order, limit };
          const expected = await memory[question](common, asked, limits);
          seen += expected.flatMap(({ events }) => events).length;
          cut += expected.filter(({ isCut }) => isCut).length;
          expect(await tables[question](common, asked, limits)).toEqual(expected);
        }
      }
    }
  }
  expect(seen).toBeGreaterThan(200);
  expect(cut).toBeGreaterThan(5);
  expect(await tables.eventsOf({ ...ANY, chain: 'solana' }, [], limits)).toEqual([]);
});

const ANY = { kinds: CONTROL_KINDS, order: 'oldest_first', limit: 1_000 } as const;

test('only the kinds and the times that were asked for are told, each address’ own', async () => {
  const T = 1_700_000_000;
  const asked = [
    { address: 'ann', fromUnixSeconds: T + 3, toUnixSeconds: T + 12 },
    { address: 'ann', fromUnixSeconds: T + 5 },
    ...WALLETS.map((address) => ({ address, toUnixSeconds: T + 5 })),
  ];
  const common = { chain: 'solana', kinds: ['approval', 'frozen'], limit: 100 } as const;
  let seen = 0;
  for (const order of ['newest_first', 'oldest_first'] as const) {
    const expected = await memory.eventsOfHolder({ ...common, order }, asked, limits);
    seen += expected.flatMap(({ events }) => events).length;
    expect(await tables.eventsOfHolder({ ...common, order }, asked, limits)).toEqual(expected);
  }
  expect(seen).toBeGreaterThan(4);
});

test('who called a program most is the same as in memory, also of only the newest counts', async () => {
  let seen = 0;
  for (const chain of CHAINS) {
    for (const rowsMax of [1_000, 3]) {
      const common = { chain, rowsMax, limit: 5 };
      const programs = [...WALLETS, 'token', 'nobody'];
      const expected = await memory.topCallers(common, programs, limits);
      seen += expected.flatMap(({ callers }) => callers).length;
      expect(await tables.topCallers(common, programs, limits)).toEqual(expected);
    }
  }
  expect(seen).toBeGreaterThan(20);
});

test('what is frozen now is the same as in memory', async () => {
  let seen = 0;
  for (const chain of CHAINS)
    for (const asset of [
      'token',
      'mint',
      ...blocks
        .flatMap(({ controlEvents }) =>
          controlEvents.flatMap((event) => (event.kind === 'frozen' ? [event.asset ?? event.subject] : [])),
        )
        .slice(0, 10),
    ]) {
      const wallets = [...WALLETS, "x' OR 1 = 1 --"];
      const expected = await memory.freezes({ chain, asset }, wallets, limits);
      seen += expected.filter((event) => event !== null).length;
      expect(await tables.freezes({ chain, asset }, wallets, limits)).toEqual(expected);
    }
  expect(seen).toBeGreaterThan(5);
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
  const fresh = createControlReader(stage.warehouse.reader);
  const kept = {
    ...{ fromUnixSeconds: 1_700_000_201, toUnixSeconds: 1_700_000_000 + last },
    ...{ fromBlock: 201, toBlock: last, beginsChain: false, beginningToBlock: 199 },
  };
  expect(await fresh.controlSpan({}, [chain, 'polygon'], limits)).toEqual([kept, null]);
});

test('what was taken back is not told, and an aborted question is aborted', async () => {
  const { writer } = stage.warehouse;
  const holder = (reader: ControlReader) =>
    reader.eventsOfHolder({ ...ANY, chain: 'ethereum' }, [{ address: 'ann' }], limits);
  await writer.command({
    query: 'INSERT INTO retracted SELECT DISTINCT sequence FROM control_entries WHERE block_number % 2 = 0',
  });
  const [{ events: all } = NONE] = await holder(memory);
  const standing = all.filter(({ blockNumber }) => blockNumber % 2 === 1);
  expect(standing.length).toBeLessThan(all.length);
  expect(await holder(tables)).toEqual([{ events: standing, isCut: false }]);
  await writer.command({ query: 'TRUNCATE TABLE retracted' });
  const aborted = { signal: AbortSignal.abort(), timeoutMs: 1_000 };
  await expect(tables.eventsOf({ ...ANY, chain: 'ethereum' }, [{ address: 'ann' }], aborted)).rejects.toThrow(
    ReadFailedError,
  );
});

const NONE = { events: [] };
