import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const REFERENCE_TOPICS = ['assets', 'prices'] as const;

/** What a token says of itself; null where it says nothing. */
export type AssetDescribed = {
  readonly chain: string;
  /** As tables hold it. */
  readonly asset: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/** Prices of one asset from one source on one day (UTC): dollars for one whole unit, in order of time (unix seconds). */
export type PricesImported = {
  readonly chain: string;
  readonly asset: string;
  readonly source: string;
  readonly time: readonly number[];
  readonly usd: readonly number[];
};

export type ReferenceEvent =
  | { readonly type: 'AssetDescribed'; readonly description: AssetDescribed }
  | { readonly type: 'PricesImported'; readonly prices: PricesImported };

export type ReferenceEvents = {
  readonly describe: (description: AssetDescribed) => AppendRecord;
  readonly importPrices: (prices: PricesImported) => AppendRecord;
  /** Throws where the record is neither event, or is damaged. */
  readonly decode: (record: Buffer) => ReferenceEvent;
};

type Described = { chain: string; asset: string; symbol: string; decimals: number };
const UNSAID = -1;

/** Registers both events and gives what writes and reads them. */
export const openReferenceEvents = async (registry: SchemaRegistry): Promise<ReferenceEvents> => {
  const described = await openCodec<Described>(registry, 'AssetDescribed');
  const imported = await openCodec<PricesImported>(registry, 'PricesImported');
  return {
    describe: ({ symbol, decimals, ...asset }) => ({
      topic: 'assets',
      key: `${asset.chain}:${asset.asset}`,
      value: described.encode({ ...asset, symbol: symbol ?? '', decimals: decimals ?? UNSAID }),
    }),
    importPrices: (prices) => ({
      topic: 'prices',
      key: `${prices.chain}:${prices.asset}`,
      value: imported.encode(prices),
    }),
    decode: (record) =>
      imported.reads(record)
        ? { type: 'PricesImported', prices: imported.decode(record) }
        : { type: 'AssetDescribed', description: fromDescribed(described.decode(record)) },
  };
};

const fromDescribed = ({ symbol, decimals, ...asset }: Described): AssetDescribed => ({
  ...asset,
  symbol: symbol === '' ? null : symbol,
  decimals: decimals === UNSAID ? null : decimals,
});
