import { expect, test } from 'vitest';
import type { TruthLine } from '../../../demo-world/truth.ts';
import { worldBlocks } from '../../../demo-world/world-blocks.ts';
import { createMemoryPriceReader } from '../../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../../testing/memory/memory-trace-reader.ts';
import { findChain } from '../../model/chain.ts';
import type { Label } from '../../model/label.ts';
import { NATIVE } from '../../model/movement.ts';
import type { Service, TraceReader } from '../../model/trace-reader.ts';
import { ReadFailedError } from '../../model/transfer-reader.ts';
import { WINDOW_MAX_SECONDS } from '../rules.ts';
import { trace } from '../trace.ts';
import type { TraceRefusedError, TraceRequest } from '../trace-answer.ts';
import { traceTogether } from './trace-together.ts';

const ANCHORS = 300;
const { signal } = new AbortController();
const prices = createMemoryPriceReader();

/** Transfers of people with services of a small world, in no order that means anything. */
const readWorld = () => {
  const truth: TruthLine[] = [];
  const blocks = [...worldBlocks({ seed: 3, people: 16, days: 7 }, (line) => truth.push(line))];
  const known = truth.filter((line) => line.type === 'label' && line.known);
  const labels = new Map<string, Label>();
  const services = new Map<string, Service>();
  for (const line of known) {
    if (line.type !== 'label') continue;
    labels.set(line.address, { name: line.name, kind: line.kind as Label['kind'] });
    services.set(line.address, { entity: line.name.replace(/ [\d.]+( [A-Z]+)?$/, ''), kind: line.kind });
  }
  const requests = blocks.flatMap(({ chain: name, timeUnixSeconds, movements, transactions }) =>
    movements.flatMap(({ txIndex, from, to, asset }): TraceRequest[] => {
      const chain = findChain(name);
      const hash = transactions.find((transaction) => transaction.txIndex === txIndex)?.hash;
      if (asset !== NATIVE) return [];
      const [isIn, isOut] = [services.has(to ?? ''), services.has(from ?? '')];
      if (chain === null || hash === undefined || from === null || to === null || isIn === isOut) return [];
      const [wallet, counterparty] = isIn ? [from, to] : [to, from];
      return [
        {
          ...{ chain, wallet, counterparty, signature: hash, direction: isIn ? 'out' : 'in' },
          ...{ timeUnixSeconds: timeUnixSeconds ?? 0, coin: 0, usd: 0, windowSeconds: WINDOW_MAX_SECONDS },
          missing: ['sol', 'usd'],
        },
      ];
    }),
  );
  const step = Math.max(1, Math.floor(requests.length / ANCHORS));
  return {
    reader: createMemoryTraceReader(blocks, { services, labels }),
    requests: requests.filter((_, index) => index % step === 0).slice(0, ANCHORS),
  };
};

const world = readWorld();

const traceAlone = (request: TraceRequest, reader: TraceReader) =>
  trace(request, { reader, prices, signal }).then(
    (answer) => ({ trace: answer }),
    (refused: TraceRefusedError) => ({ refused }),
  );
const alone = (request: TraceRequest) => traceAlone(request, world.reader);

/** The traces of all requests, each alone, and the most transactions that one of them asked for at once. */
const allAlone = async () => {
  let most = 0;
  const noting: TraceReader = {
    ...world.reader,
    transactionRows: (common, positions, limits) => {
      most = Math.max(most, positions.length);
      return world.reader.transactionRows(common, positions, limits);
    },
  };
  const each = [];
  for (const request of world.requests) each.push(await traceAlone(request, noting));
  return { each, most };
};
const { each, most } = await allAlone();

const answersOf = (together: Awaited<ReturnType<typeof traceTogether>>) =>
  together.map((one) => ('trace' in one ? { trace: one.trace } : one));

test('every field of three hundred traces at once is that of each alone, asked in a hundredth of the questions', async () => {
  let lists = 0;
  const counted: TraceReader = {
    ...world.reader,
    transaction: (...asked) => {
      lists += 1;
      return world.reader.transaction(...asked);
    },
  };
  const together = await traceTogether(world.requests, { reader: counted, prices, signal });
  expect(together).toHaveLength(ANCHORS);
  expect(answersOf(together)).toEqual(each);
  const traced = together.flatMap((one) => ('trace' in one ? [one.trace] : []));
  expect(traced.length).toBeGreaterThan(ANCHORS / 2);
  expect(traced.filter(({ candidates }) => candidates.length > 1).length).toBeGreaterThan(30);
  expect(traced.some(({ candidates }) => candidates.some(({ evidence }) => evidence.length > 0))).toBe(true);
  expect(lists).toBeGreaterThan(0);
  expect(lists).toBeLessThan(ANCHORS / 100);
});

test('a list of questions that takes too long is halved, and one question alone that does fails all', async () => {
  const slow = (most: number): TraceReader => ({
    ...world.reader,
    transaction: async (common, signatures, limits) => {
      if (signatures.length > most) throw new ReadFailedError('timeout');
      return world.reader.transaction(common, signatures, limits);
    },
  });
  const some = world.requests.slice(0, 20);
  const together = await traceTogether(some, { reader: slow(3), prices, signal });
  expect(answersOf(together)).toEqual(await Promise.all(some.map(alone)));
  const failing = traceTogether(some, { reader: slow(0), prices, signal });
  await expect(failing).rejects.toEqual(new ReadFailedError('timeout'));
});

test('rows that do not fit into one question are asked for again', async () => {
  let tooMany = 0;
  const small: TraceReader = {
    ...world.reader,
    transactionRows: async (common, positions, limits) => {
      const rows = await world.reader.transactionRows(common, positions, limits);
      if (positions.length > most) tooMany += 1;
      return rows.map((of, at) => (at < most ? of : null));
    },
  };
  expect(answersOf(await traceTogether(world.requests, { reader: small, prices, signal }))).toEqual(each);
  expect(tooMany).toBeGreaterThan(0);
});
