import { toWholeUnits } from '../model/amount.ts';
import { type AssetFamily, isStablecoin, knownDecimals } from '../model/asset.ts';
import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { compareTransactions, type FamilySent, type TransactionPosition } from '../model/transfer-reader.ts';
import { mayLogFalsely } from './take-outgoing.ts';

type Candidate = {
  readonly family: AssetFamily;
  readonly first: TransactionPosition;
  readonly sumRaw: bigint;
};

/**
 * The asset to follow when the caller names none: the coin and stablecoins go before any other token, by dollar value;
 * where a value among them is unknown, and among other tokens, whatever left first. null when nothing left.
 *
 * The coin has no price yet: beside it, stablecoins are therefore ordered by time too.
 */
export const chooseFamily = (chain: Chain, sent: readonly FamilySent[]): AssetFamily | null => {
  const candidates = sent.flatMap((item) => toCandidate(chain, item));
  const money = candidates.filter(({ family }) => family === NATIVE || isStablecoin(chain, family));
  if (money.length === 0) return candidates.sort(byTime)[0]?.family ?? null;
  const valued = money.map((candidate) => ({ ...candidate, usd: dollarValue(chain, candidate) }));
  const allValued = valued.every(({ usd }) => usd !== null);
  valued.sort((a, b) => (allValued ? (b.usd ?? 0) - (a.usd ?? 0) : 0) || byTime(a, b));
  return valued[0]?.family ?? null;
};

/** A token that may log false transfers counts only with what the wallet itself sent. */
const toCandidate = (chain: Chain, { family, first, sumRaw, own }: FamilySent): readonly Candidate[] => {
  if (!mayLogFalsely(chain, family)) return [{ family, first, sumRaw }];
  return own === null ? [] : [{ family, ...own }];
};

const dollarValue = (chain: Chain, { family, sumRaw }: Candidate): number | null =>
  isStablecoin(chain, family) ? toWholeUnits(sumRaw, knownDecimals(chain, family)) : null;

const byTime = (a: Candidate, b: Candidate): number =>
  compareTransactions(a.first, b.first) || (a.family < b.family ? -1 : 1);
