import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { PriceSourceError } from '../../prices/price-source.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { startReferences } from '../sink/start-references.ts';
import { startPriceSource } from './start-price-source.ts';

const DAY = 86_400;
const START = 1_700_000_000 - (1_700_000_000 % DAY);
const stage = new SinkStage();
const running: { stop(): Promise<void> }[] = [];
const logger = createLogger({ level: 'silent' });

beforeEach(async () => {
  const quiet = [0, 1, 2].map((day) =>
    buildBlock({ chain: 'ethereum', number: 1 + day, timeUnixSeconds: START + day * DAY, transactions: [] }),
  );
  await stage.append(stage.encoded(...quiet));
  await stage.drain();
  const { store, warehouse } = stage;
  running.push(startReferences({ store, warehouse, logger }));
});
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

/** Asks a source that fails as often as it is said for a day. Gives the days asked for, as they come. */
const askFailing = (failuresOf: Readonly<Record<number, PriceSourceError[]>>): number[] => {
  const asked: number[] = [];
  const coinPrices = async ({ fromUnixSeconds }: { fromUnixSeconds: number }) => {
    const day = (fromUnixSeconds - START) / DAY;
    asked.push(day);
    const failure = failuresOf[day]?.shift();
    if (failure) throw failure;
    return [{ timeUnixSeconds: fromUnixSeconds, usd: 1_234 }];
  };
  const { store, warehouse } = stage;
  running.push(startPriceSource({ store, warehouse, source: { coinPrices }, logger, everyMs: 20 }));
  return asked;
};

const imported = () =>
  stage.ask(`SELECT (toUnixTimestamp(day) - ${START}) / ${DAY} FROM imported_prices FINAL ORDER BY day`);

test.each(['malformed', 'refused'] as const)(
  'a day whose answer is %s waits for the others, and is asked for again',
  async (code) => {
    const bad = () => new PriceSourceError(code, 'told this day badly');
    const asked = askFailing({ 1: [bad(), bad()] });
    await expect.poll(imported, PATIENCE).toEqual([[0], [1], [2]]);
    expect(asked).toEqual([2, 1, 0, 1, 1]);
  },
);

test('while the source is away it is asked for the same day', async () => {
  const away = () => new PriceSourceError('unreachable', 'did not answer');
  const asked = askFailing({ 1: [away(), away()] });
  await expect.poll(imported, PATIENCE).toEqual([[0], [1], [2]]);
  expect(asked.filter((day, at) => day !== asked[at - 1])).toEqual([2, 1, 0]);
});
