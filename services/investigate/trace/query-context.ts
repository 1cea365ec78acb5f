import type { CanonicalAsset } from '../model/asset.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { Asking } from '../model/query.ts';
import type { TraceReader } from '../model/trace-reader.ts';

/** A reader with the parameters that every query carries. */
export type QueryContext = {
  readonly reader: Asking<TraceReader>;
  readonly prices: Asking<PriceReader>;
  readonly onChain: { readonly chain: string };
  /** The coin and the stablecoins. Unlisted tokens may log fake transfers. */
  readonly canonicalAssets: readonly CanonicalAsset[];
  /** For each asset the smallest amount that counts, in raw units. Less is dust. */
  readonly leastRaw: readonly bigint[];
};

const ASKED_PER_QUESTION = 1_000;

/**
 * Runs one query after the other, each with as many addresses, positions or times as one query handles well.
 */
export const askInChunks = async <Asked, Answer>(
  asked: readonly Asked[],
  question: (chunk: readonly Asked[]) => Promise<Iterable<Answer>>,
): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let index = 0; index < asked.length; index += ASKED_PER_QUESTION) {
    for (const answer of await question(asked.slice(index, index + ASKED_PER_QUESTION))) answers.push(answer);
  }
  return answers;
};
