import type { Address } from '../model/address.ts';
import type { AssetFamily } from '../model/asset.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TraceReader } from '../model/trace-reader.ts';
import type { ReadLimits } from '../model/transfer-reader.ts';

/** A reader with what every question to it carries. */
export type Ask = {
  readonly reader: TraceReader;
  readonly prices: PriceReader;
  readonly limits: ReadLimits & { readonly chain: string };
  /** The coin and the stablecoins: tokens whose contracts are not listed may log transfers that never were. */
  readonly families: readonly AssetFamily[];
};

const ADDRESSES_PER_QUESTION = 1_000;

/** One question after the other, each of as many addresses as one query takes well. */
export const askInChunks = async <T>(
  addresses: readonly Address[],
  question: (chunk: readonly Address[]) => Promise<Iterable<T>>,
): Promise<T[]> => {
  const answers: T[] = [];
  for (let at = 0; at < addresses.length; at += ADDRESSES_PER_QUESTION) {
    answers.push(...(await question(addresses.slice(at, at + ADDRESSES_PER_QUESTION))));
  }
  return answers;
};
