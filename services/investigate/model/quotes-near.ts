import { IMPORT_REACH_SECONDS, MARKET_REACH_HOURS, type Quote } from './price-at.ts';

const HOUR = 3_600;

/**
 * Of an asset's quotes those that may say what it was worth at a time, as `priceAt` asks for it: a few of however many. One
 * pass over the quotes; a question then costs the same whatever their number.
 */
export const indexQuotes = (
  quotes: readonly Quote[],
  reachHours = MARKET_REACH_HOURS,
): ((timeUnixSeconds: number) => readonly Quote[]) => {
  const places = placesWithin(reachHours);
  const byPlace = Map.groupBy(quotes, (quote) => placeOf(quote.span, quote.beginUnixSeconds));
  return (time) => places.flatMap(({ span, seconds }) => byPlace.get(placeOf(span, time + seconds)) ?? []);
};

/** A quote speaks of its minute, an hour is carried to others, and an import stands for days. */
const WIDTH_SECONDS: Readonly<Record<Quote['span'], number>> = {
  minute: 60,
  hour: HOUR,
  time: IMPORT_REACH_SECONDS,
};

const placeOf = (span: Quote['span'], seconds: number): string =>
  `${span} ${Math.floor(seconds / WIDTH_SECONDS[span])}`;

/** The middle of an hour's trades lies in that hour: one that is within reach may have begun an hour before. */
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
