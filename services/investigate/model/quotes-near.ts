import { IMPORT_REACH_SECONDS, MARKET_REACH_HOURS, type Quote } from './price-at.ts';

const HOUR = 3_600;

/**
 * Selects the few quotes of an asset that `priceAt` needs for a time. Indexes the quotes once, so that the
 * cost of a lookup does not grow with their number.
 */
export const indexQuotes = (
  quotes: readonly Quote[],
  reachHours = MARKET_REACH_HOURS,
): ((timeUnixSeconds: number) => readonly Quote[]) => {
  const places = placesWithin(reachHours);
  const byPlace = Map.groupBy(quotes, (quote) => placeOf(quote.span, quote.beginUnixSeconds));
  return (time) => places.flatMap(({ span, seconds }) => byPlace.get(placeOf(span, time + seconds)) ?? []);
};

/**
 * A quote covers its minute, an hour's price also applies to nearby hours, and an imported price applies for
 * days.
 */
const WIDTH_SECONDS: Readonly<Record<Quote['span'], number>> = {
  minute: 60,
  hour: HOUR,
  time: IMPORT_REACH_SECONDS,
};

const placeOf = (span: Quote['span'], seconds: number): string =>
  `${span} ${Math.floor(seconds / WIDTH_SECONDS[span])}`;

/**
 * The mean time of an hour's trades lies within the hour, so an hour within reach may have begun one hour
 * earlier.
 */
const placesWithin = (
  reachHours: number,
): readonly { readonly span: Quote['span']; readonly seconds: number }[] => [
  { span: 'minute', seconds: 0 },
  ...Array.from({ length: 2 * reachHours + 2 }, (_, hour) => ({
    span: 'hour' as const,
    seconds: (hour - reachHours - 1) * HOUR,
  })),
  ...[-1, 0, 1].map((days) => ({ span: 'time' as const, seconds: days * IMPORT_REACH_SECONDS })),
];
