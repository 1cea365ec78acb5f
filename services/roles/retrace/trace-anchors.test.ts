import { expect, test } from 'vitest';
import type { Service } from '../../investigate/model/trace-reader.ts';
import { ReadFailedError } from '../../investigate/model/transfer-reader.ts';
import { systemClock } from '../../platform/clock.ts';
import { createMemoryPriceReader } from '../../testing/memory/memory-price-reader.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { createTraceAnchors } from './trace-anchors.ts';

const { signal } = new AbortController();
const addressOf = (place: number): string => `0x${String(place).padStart(40, '0')}`;
const anchors = Array.from({ length: 20 }, (_, place) => ({
  ...{ chain: 'ethereum', wallet: addressOf(900), counterparty: addressOf(place), direction: 'out' },
  signature: `0x${String(place).padStart(64, '0')}`,
}));

type Ask = (addresses: readonly string[], stopping: AbortSignal) => Promise<readonly (Service | null)[]>;

/** Nobody is a service here, which is said of each anchor that is traced. */
const open = ({ ask, waveMs = 600_000 }: { ask: Ask; waveMs?: number }) => {
  const reader = createMemoryTraceReader([]);
  const errors: unknown[] = [];
  const trace = createTraceAnchors({
    reader: { ...reader, services: (_, addresses, { signal }) => ask(addresses, signal) },
    prices: createMemoryPriceReader(),
    clock: systemClock,
    onError: (error) => errors.push(error),
    limits: { pieceMs: 50, waveMs },
  });
  const codes = async () =>
    (await trace(anchors, signal)).map((result) => ('refused' in result ? result.refused.code : 'traced'));
  return { codes, errors };
};

const untilStopped = (stopping: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    stopping.addEventListener('abort', () => reject(new ReadFailedError('aborted')));
  });
const slow = new Set([3, 4, 17].map(addressOf));
const isSlow = (addresses: readonly string[]): boolean => addresses.some((address) => slow.has(address));

test('anchors that take too long say so, the others are traced, and nothing that failed is still asked', async () => {
  let asking = 0;
  const { codes } = open({
    ask: async (addresses, stopping) => {
      asking += 1;
      try {
        return isSlow(addresses) ? await untilStopped(stopping) : addresses.map(() => null);
      } finally {
        asking -= 1;
      }
    },
  });
  const expected = anchors.map(({ counterparty }) =>
    slow.has(counterparty) ? 'timeout' : 'counterparty_not_traceable',
  );
  expect(await codes()).toEqual(expected);
  expect(asking).toBe(0);
});

test('whoever has only anchors that take too long leaves its turn to others after one of them', async () => {
  const { codes } = open({ ask: (_, stopping) => untilStopped(stopping), waveMs: 1 });
  expect(await codes()).toEqual(['timeout']);
  expect(await codes()).toEqual(['timeout']);
});

test('an anchor that our own code fails at is free, said aloud, and holds up no other one', async () => {
  const mistake = new TypeError('no such thing');
  const { codes, errors } = open({
    ask: async (addresses) => {
      if (addresses.includes(addressOf(5))) throw mistake;
      return addresses.map(() => null);
    },
  });
  const found = await codes();
  expect(found.indexOf('internal_error')).toBe(5);
  expect(found.filter((code) => code === 'counterparty_not_traceable')).toHaveLength(19);
  expect(errors).toEqual([mistake]);
});

test('where the tables are away, what was traced before is kept, and the rest is not refused', async () => {
  let isAway = false;
  const { codes } = open({
    ask: async (addresses) => {
      if (isAway) throw new ReadFailedError('unavailable');
      isAway = addresses.includes(addressOf(2));
      return addresses.map(() => null);
    },
  });
  expect((await codes()).every((code) => code === 'counterparty_not_traceable')).toBe(true);
  await expect(codes()).rejects.toEqual(new ReadFailedError('unavailable'));
});
