import type { CanonicalAsset } from '../model/asset.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TraceReader } from '../model/trace-reader.ts';
import type { OnChain } from '../model/transfer-reader.ts';
import type { Reads } from '../session/kind.ts';
import { kindsOf } from '../session/kinds/kinds-of.ts';

/** The queries of one trace, or of many. */
export const traceKinds = (reader: TraceReader, prices: PriceReader) => ({
  ...kindsOf(reader),
  ...kindsOf(prices),
});

export type TraceKinds = ReturnType<typeof traceKinds>;
export type TraceReads = Reads<TraceKinds>;

/** What is read by, and the parameters that every query carries. */
export type QueryContext = {
  readonly reads: TraceReads;
  readonly onChain: OnChain;
  /** The coin and the stablecoins. Unlisted tokens may log fake transfers. */
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** For each asset the smallest amount that counts, in raw units. Less is dust. */
  readonly leastRaw: readonly bigint[];
};
