import type { PricesImported, ReferenceEvents } from '../events/reference-events.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readPriceEvents } from './known-prices.ts';

/** One list and asset, from a time (included) to another (excluded), unix seconds. */
export type PriceRange = Pick<PricesImported, 'chain' | 'asset' | 'source'> & {
  readonly fromUnixSeconds: number;
  readonly untilUnixSeconds: number;
};

const TIMES_EACH = 10_000;

/**
 * Withdraws the imported prices of the range, and returns how many. Events name each time, so the tables need not
 * be asked. It may be interrupted and repeated.
 */
export const withdrawPrices = async (
  { log, references }: { log: EventLog; references: Pick<ReferenceEvents, 'decode' | 'withdrawPrices'> },
  range: PriceRange,
  { reason, nowUnixSeconds }: { reason: string; nowUnixSeconds: number },
): Promise<number> => {
  const { chain, asset, source } = range;
  const times = await readTimes(log, references, range);
  for (let from = 0; from < times.length; from += TIMES_EACH) {
    const time = times.slice(from, from + TIMES_EACH);
    const withdrawal = { chain, asset, source, time, reason, withdrawnAt: nowUnixSeconds };
    await log.append([references.withdrawPrices(withdrawal)]);
  }
  return times.length;
};

const readTimes = async (
  log: EventLog,
  references: Pick<ReferenceEvents, 'decode'>,
  { chain, asset, source, fromUnixSeconds, untilUnixSeconds }: PriceRange,
): Promise<number[]> => {
  const times = new Set<number>();
  for await (const event of readPriceEvents(log, references)) {
    const said = event.type === 'PricesImported' ? event.prices : event.withdrawal;
    if (said.chain !== chain || said.asset !== asset || said.source !== source) continue;
    for (const time of said.time) {
      if (event.type === 'PricesWithdrawn') times.delete(time);
      else if (time >= fromUnixSeconds && time < untilUnixSeconds) times.add(time);
    }
  }
  return [...times].toSorted((a, b) => a - b);
};
