import type { PricesImported, ReferenceEvents } from '../events/reference-events.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readPriceEvents } from './known-prices.ts';

/** Of one list and one asset, from a time on (unix seconds) until before another. */
export type PriceRange = Pick<PricesImported, 'chain' | 'asset' | 'source'> & {
  readonly fromUnixSeconds: number;
  readonly untilUnixSeconds: number;
};

const TIMES_EACH = 10_000;

/**
 * Takes imported prices back that are in the range and count at present, and gives how many. Events name each of their times,
 * so that the tables need not be asked. May be cut off and run again.
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
