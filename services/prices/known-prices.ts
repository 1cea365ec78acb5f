import { createHash } from 'node:crypto';
import type {
  PricesImported,
  PricesWithdrawn,
  ReferenceEvent,
  ReferenceEvents,
} from '../events/reference-events.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';

const DAY_SECONDS = 86_400;

type PriceEvent = Exclude<ReferenceEvent, { type: 'AssetDescribed' }>;

const keyOf = ({ chain, asset, source, time }: Omit<PricesImported, 'usd'>): string =>
  `${chain} ${asset} ${Math.floor((time[0] ?? 0) / DAY_SECONDS)} ${source}`;

const digestOf = ({ time, usd }: PricesImported): string =>
  createHash('sha1')
    .update(JSON.stringify([time, usd]))
    .digest('base64');

/** The imported days of each asset in the log, which make an import repeatable. About 150 bytes a day of an asset. */
export class KnownPrices {
  readonly #digests = new Map<string, string>();

  static async read(log: EventLog, references: Pick<ReferenceEvents, 'decode'>): Promise<KnownPrices> {
    const known = new KnownPrices();
    for await (const event of readPriceEvents(log, references)) {
      if (event.type === 'PricesImported') known.add(event.prices);
      else known.#forget(event.withdrawal);
    }
    return known;
  }

  /** Compares a day's prices with the known ones; from now on they are known. */
  add(prices: PricesImported): 'new' | 'changed' | 'known' {
    const key = keyOf(prices);
    const digest = digestOf(prices);
    const before = this.#digests.get(key);
    this.#digests.set(key, digest);
    if (before === undefined) return 'new';
    return before === digest ? 'known' : 'changed';
  }

  /** A day with withdrawn prices no longer equals its import. */
  #forget({ time, ...subject }: PricesWithdrawn): void {
    for (const seconds of time) this.#digests.delete(keyOf({ ...subject, time: [seconds] }));
  }
}

/** The log's price events, in order for each asset. */
export async function* readPriceEvents(
  log: EventLog,
  { decode }: Pick<ReferenceEvents, 'decode'>,
): AsyncGenerator<PriceEvent> {
  for await (const records of readTopic(log, 'prices')) {
    for (const { value } of records) {
      const event = readEvent(decode, value);
      if (event && event.type !== 'AssetDescribed') yield event;
    }
  }
}

const readEvent = (decode: ReferenceEvents['decode'], value: Buffer): ReferenceEvent | null => {
  try {
    return decode(value);
  } catch {
    // A record that can never be stored is a dead letter of the sink, and no price.
    return null;
  }
};
