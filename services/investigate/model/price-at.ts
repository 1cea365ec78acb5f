import type { Price, PriceSource } from './price-reader.ts';

/** A known price of an asset near a time. */
export type Quote = {
  readonly source: Exclude<PriceSource, 'peg'>;
  /** The span it covers: a minute or an hour of trades, or the exact time of an imported price. */
  readonly span: 'minute' | 'hour' | 'time';
  /** The start of that minute or hour; for `time` the same as `atUnixSeconds`. */
  readonly beginUnixSeconds: number;
  /** The mean time of its trades. */
  readonly atUnixSeconds: number;
  /** null: there was a market, but its trades do not give a reliable price. */
  readonly usd: number | null;
};

/** The maximum distance of a market price. Within it a coin moves by one or two per cent. */
export const MARKET_REACH_HOURS = 6;

/** Imported price lists often have one price a day. */
export const IMPORT_REACH_SECONDS = 86_400;

const MINUTE = 60;
const HOUR = 3_600;

/**
 * The price of one unit at a time, from the quotes around it: the minute's own price, else the line between
 * the hours before and after, else the nearer of them, else the nearest imported price. A stablecoin has the
 * value of its peg unless its own market said otherwise in that hour. null when no quote applies: a price is
 * never guessed.
 */
export const priceAt = (
  timeUnixSeconds: number,
  { pegged, quotes, reachHours }: { pegged: boolean; quotes: readonly Quote[]; reachHours?: number },
): Price | null => {
  const market = quotes.filter(({ source }) => source === 'market');
  if (pegged) return pegOrMarket(timeUnixSeconds, market);
  const usd = minuteOf(timeUnixSeconds, market) ?? betweenHours(timeUnixSeconds, market, reachHours);
  return usd === null ? nearestImport(timeUnixSeconds, quotes) : { usd, source: 'market' };
};

const pegOrMarket = (time: number, market: readonly Quote[]): Price | null => {
  const broken = market.find(
    ({ span, beginUnixSeconds }) => span === 'hour' && beginUnixSeconds === time - (time % HOUR),
  );
  if (broken === undefined || broken.usd === 1) return { usd: 1, source: 'peg' };
  return broken.usd === null ? null : { usd: broken.usd, source: 'market' };
};

const minuteOf = (time: number, market: readonly Quote[]): number | null =>
  market.find(
    ({ span, beginUnixSeconds }) => span === 'minute' && beginUnixSeconds === time - (time % MINUTE),
  )?.usd ?? null;

type Known = { readonly at: number; readonly usd: number };

const betweenHours = (
  time: number,
  market: readonly Quote[],
  reachHours = MARKET_REACH_HOURS,
): number | null => {
  const hours = market.flatMap(({ span, atUnixSeconds: at, usd }): Known[] =>
    span === 'hour' && usd !== null && Math.abs(at - time) <= reachHours * HOUR ? [{ at, usd }] : [],
  );
  const before = hours.filter(({ at }) => at <= time).toSorted((a, b) => b.at - a.at)[0];
  const after = hours.filter(({ at }) => at > time).toSorted((a, b) => a.at - b.at)[0];
  if (before === undefined || after === undefined) return (before ?? after)?.usd ?? null;
  const passed = (time - before.at) / (after.at - before.at);
  return before.usd + (after.usd - before.usd) * passed;
};

const nearestImport = (time: number, quotes: readonly Quote[]): Price | null => {
  const distance = ({ atUnixSeconds }: Quote): number => Math.abs(atUnixSeconds - time);
  const [nearest] = quotes
    .filter((quote) => quote.source !== 'market' && distance(quote) <= IMPORT_REACH_SECONDS)
    .toSorted((a, b) => distance(a) - distance(b) || (a.source < b.source ? -1 : 1));
  if (nearest === undefined || nearest.usd === null) return null;
  return { usd: nearest.usd, source: nearest.source };
};
