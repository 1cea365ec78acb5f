import type { PricesImported, ReferenceEvents } from '../events/reference-events.ts';
import type { AppendRecord, EventLog } from '../platform/event-log/event-log.ts';
import { type CheckedPrice, checkPriceRow, type PriceRefusal } from './check-price-row.ts';
import type { KnownPrices } from './known-prices.ts';
import { PriceFileError, type PriceListOptions, readPriceList, sourceOf } from './read-price-list.ts';

const APPEND_RECORDS = 1_000;
const DAY_SECONDS = 86_400;
/** All rows are held until the end of the file, because rows of one day may stand anywhere. */
const ROWS_MAX = 2_000_000;
/** Prices of one asset in one record: half a megabyte. Prices are by the minute at most. */
const DAY_PRICES_MAX = 40_000;

/** `repeated`: a later row of the file has the same asset and time. */
export type PriceOutcome = 'new' | 'changed' | 'known' | 'repeated';

export type PriceImport = {
  readonly path: string;
  readonly options: PriceListOptions;
  readonly known: KnownPrices;
  readonly nowUnixSeconds: number;
  readonly events: {
    taken(rows: number, outcome: PriceOutcome): void;
    refused(refusal: PriceRefusal): void;
  };
  /** Where the prices go; null for a dry run. */
  readonly target: {
    readonly log: EventLog;
    readonly references: Pick<ReferenceEvents, 'importPrices'>;
  } | null;
};

/**
 * Reads a price list into the log. Every row is reported as taken or refused, and only new or changed days are
 * appended. It may be interrupted and repeated. Throws `PriceFileError` if the file has another form.
 */
export const importPrices = async (request: PriceImport, signal: AbortSignal): Promise<void> => {
  const { path, options, known, events, target } = request;
  const days = await readDays(request, signal);
  const source = sourceOf(path, options);
  let records: AppendRecord[] = [];
  const append = async (): Promise<void> => {
    if (target && records.length > 0) await target.log.append(records);
    records = [];
  };
  for (const [key, prices] of days) {
    signal.throwIfAborted();
    const [chain = '', asset = ''] = key.split(' ');
    const day = toEvent({ chain, asset, source }, prices);
    const outcome = known.add(day);
    events.taken(prices.size, outcome);
    if (target && outcome !== 'known') records.push(target.references.importPrices(day));
    if (records.length >= APPEND_RECORDS) await append();
  }
  await append();
};

/** Prices by unix seconds. */
type Day = Map<number, number>;

const dayOf = ({ chain, asset, timeUnixSeconds }: CheckedPrice): string =>
  `${chain} ${asset} ${Math.floor(timeUnixSeconds / DAY_SECONDS)}`;

const readDays = async (
  { path, options, nowUnixSeconds, events }: PriceImport,
  signal: AbortSignal,
): Promise<Map<string, Day>> => {
  const days = new Map<string, Day>();
  let rows = 0;
  for await (const read of readPriceList(path, options)) {
    signal.throwIfAborted();
    const checked = 'row' in read ? checkPriceRow(read.row, nowUnixSeconds) : read;
    if ('refusal' in checked) {
      events.refused(checked.refusal);
      continue;
    }
    rows += 1;
    if (rows > ROWS_MAX) throw new PriceFileError(path, `has more than ${ROWS_MAX} rows: import it in parts`);
    const { price } = checked;
    const day = days.get(dayOf(price)) ?? new Map<number, number>();
    days.set(dayOf(price), day);
    if (day.has(price.timeUnixSeconds)) events.taken(1, 'repeated');
    day.set(price.timeUnixSeconds, price.usd);
    if (day.size > DAY_PRICES_MAX)
      throw new PriceFileError(
        path,
        `has more than ${DAY_PRICES_MAX} prices of one asset on one day: one a minute is enough`,
      );
  }
  return days;
};

const toEvent = (subject: Pick<PricesImported, 'chain' | 'asset' | 'source'>, day: Day): PricesImported => {
  const inOrder = [...day].toSorted(([a], [b]) => a - b);
  return { ...subject, time: inOrder.map(([time]) => time), usd: inOrder.map(([, usd]) => usd) };
};
