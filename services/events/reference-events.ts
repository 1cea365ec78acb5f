import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/schema-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const REFERENCE_TOPICS = ['assets', 'prices'] as const;

/** A token's description of itself; null if it has none. */
export type AssetDescribed = {
  readonly chain: string;
  /** In the tables' form. */
  readonly asset: string;
  readonly symbol: string | null;
  readonly decimals: number | null;
};

/**
 * Prices of one asset from one source on one UTC day: dollars for one whole unit, in order of time (unix seconds).
 */
export type PricesImported = {
  readonly chain: string;
  readonly asset: string;
  readonly source: string;
  readonly time: readonly number[];
  readonly usd: readonly number[];
};

/** Withdrawn prices, by time (unix seconds). */
export type PricesWithdrawn = Omit<PricesImported, 'usd'> & {
  readonly reason: string;
  readonly withdrawnAt: number;
};

export type ReferenceEvent =
  | { readonly type: 'AssetDescribed'; readonly description: AssetDescribed }
  | { readonly type: 'PricesImported'; readonly prices: PricesImported }
  | { readonly type: 'PricesWithdrawn'; readonly withdrawal: PricesWithdrawn };

export type ReferenceEvents = {
  readonly describe: (description: AssetDescribed) => AppendRecord;
  readonly importPrices: (prices: PricesImported) => AppendRecord;
  readonly withdrawPrices: (withdrawal: PricesWithdrawn) => AppendRecord;
  /** Throws if the record is none of these events, or is damaged. */
  readonly decode: (record: Buffer) => ReferenceEvent;
};

type Described = { chain: string; asset: string; symbol: string; decimals: number };
type Withdrawn = Omit<PricesWithdrawn, 'withdrawnAt'> & { withdrawn_at: number };
const UNSAID = -1;

/** Registers the events and returns their codec. */
export const openReferenceEvents = async (registry: SchemaRegistry): Promise<ReferenceEvents> => {
  const described = await openCodec<Described>(registry, 'AssetDescribed');
  const imported = await openCodec<PricesImported>(registry, 'PricesImported');
  const withdrawn = await openCodec<Withdrawn>(registry, 'PricesWithdrawn');
  const price = ({ chain, asset }: { chain: string; asset: string }, value: Buffer): AppendRecord => ({
    topic: 'prices',
    key: `${chain}:${asset}`,
    value,
  });
  return {
    describe: ({ symbol, decimals, ...asset }) => ({
      topic: 'assets',
      key: `${asset.chain}:${asset.asset}`,
      value: described.encode({ ...asset, symbol: symbol ?? '', decimals: decimals ?? UNSAID }),
    }),
    importPrices: (prices) => price(prices, imported.encode(prices)),
    withdrawPrices: ({ withdrawnAt, ...same }) =>
      price(same, withdrawn.encode({ ...same, withdrawn_at: withdrawnAt })),
    decode: (record) => {
      if (imported.reads(record)) return { type: 'PricesImported', prices: imported.decode(record) };
      if (!withdrawn.reads(record))
        return { type: 'AssetDescribed', description: fromDescribed(described.decode(record)) };
      const { withdrawn_at, ...same } = withdrawn.decode(record);
      return { type: 'PricesWithdrawn', withdrawal: { ...same, withdrawnAt: withdrawn_at } };
    },
  };
};

const fromDescribed = ({ symbol, decimals, ...asset }: Described): AssetDescribed => ({
  ...asset,
  symbol: symbol === '' ? null : symbol,
  decimals: decimals === UNSAID ? null : decimals,
});
