import { expect, test } from 'vitest';
import { FINAL_SLOTS, SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { deriveStore } from '../derive/derive-store.ts';
import { arePricesBehind, watchPrices } from './watch-prices.ts';

const stage = new SinkStage();
const block = (number: number) =>
  buildBlock({
    ...{ chain: 'ethereum', number, timeUnixSeconds: 1_700_000_000 },
    transactions: [
      { hash: `tx-${number}`, sender: 'ann', movements: [{ from: 'ann', to: 'bea', amountRaw: 10n ** 18n }] },
    ],
  });

test('prices are pending while the tables hold blocks that prices were not derived from, and no longer', async () => {
  await stage.append(stage.encoded(block(20_000_000)));
  await stage.drain();
  const { writer } = stage.warehouse;
  const failures: unknown[] = [];
  const watched = watchPrices(stage.store, writer, { everyMs: 20, onError: (error) => failures.push(error) });
  try {
    await expect.poll(watched.isPending).toBe(true);
    const { signal } = new AbortController();
    await deriveStore({ store: stage.store, writer, chains: [], signal });
    await expect.poll(watched.isPending).toBe(false);
    expect(failures).toEqual([]);
  } finally {
    await watched.stop();
  }
});

test('blocks of a followed chain that are not settled keep nobody waiting once its first prices are derived', () => {
  const [final = 0] = FINAL_SLOTS;
  const head = [...Array(final).keys()].find((lane) => !FINAL_SLOTS.has(lane)) ?? 0;
  const at = (lane: number, offset: number) => offset * SEQUENCE_SLOTS + lane;
  const isBehind = (lane: number, end: number, next: number) =>
    arePricesBehind([{ lane, end: at(lane, end) }], new Map([[lane, at(lane, next)]]));
  expect([isBehind(head, 9, 0), isBehind(head, 9, 5), isBehind(head, 0, 0)]).toEqual([true, false, false]);
  expect([isBehind(final, 9, 0), isBehind(final, 9, 5), isBehind(final, 9, 9)]).toEqual([true, true, false]);
  expect(arePricesBehind([{ lane: head, end: at(head, 9) }], new Map())).toBe(true);
});
