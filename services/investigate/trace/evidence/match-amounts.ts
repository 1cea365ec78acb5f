import { knownDecimals } from '../../model/asset.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import { significantDigits, sumPaid, zerosOf } from '../amounts.ts';
import type { EvidenceFound, FoundEvidence } from '../candidate-set.ts';
import { isMostOf } from '../link-legs.ts';
import { chooseFeeModel, isExactFee } from '../matches/fee-model.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import { FITS_LOOKED_AT_MAX, UNUSUAL_DIGITS } from '../rules.ts';
import type { MatchingTransfer, Search } from '../search.ts';
import type { Grade } from '../trace-answer.ts';

/** An amount with this many digits is almost unique. */
const TELLING_DIGITS = 6;
/**
 * Digits below those of a round fee that must be equal in both amounts. Any two amounts in cents differ by an
 * amount in cents; with this many digits one pair in a thousand agrees by chance.
 */
const AGREEING_DIGITS = 3;
/** Percentages that services charge are round: hundredths of a per cent. */
const ROUND_PPM = 100n;
const MILLION = 1_000_000n;

/**
 * Finds amounts that agree to the last unit, in digits that others would not choose. The payout equals the
 * deposit, with or without the fees paid in the same transaction (`exact_amount`), or is less by a fee that
 * services charge: the known model, a round share, or a round flat amount (`fee_fit`). After Yousaf et al.
 * 2019, "Tracing Transactions Across Cryptocurrency Ledgers", who match deposits and payouts of ShapeShift by
 * amount and fee. Equal notes are no evidence.
 */
export const matchAmounts = async (
  search: Search,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<EvidenceFound> => {
  const [moved] = search.anchor.moved;
  if (search.found.mode === 'fixed' || moved === undefined || !search.anchor.verified)
    return { found: [], complete: true };
  // An amount of another asset has its own digits.
  const same = matches.filter(({ canonicalAsset }) => canonicalAsset === moved.canonicalAsset);
  const { grossOf, complete } = await readGross(search, same, context);
  const isForward = search.request.direction === 'out';
  const found = same.flatMap((match) => {
    const inRaw = isForward ? moved.amountRaw : match.amountRaw;
    const outRaw = isForward ? match.amountRaw : moved.amountRaw;
    const evidence = compare(search, { match, inRaw, outRaw, grossRaw: grossOf(match) });
    return evidence === null ? [] : [[match.counterparty, evidence] as const];
  });
  // At most one transfer of a wallet is the anchor's counterpart, so several matches add no confidence. The
  // last of each remains.
  const surestLast = found.reverse().sort(([, a], [, b]) => surenessOf(a) - surenessOf(b));
  return { found: [...new Map(surestLast)], complete };
};

const surenessOf = ({ family, grade }: FoundEvidence): number =>
  (grade === 'strong' ? 2 : 0) + (family === 'exact_amount' ? 1 : 0);

type Compared = {
  readonly match: MatchingTransfer;
  readonly inRaw: bigint;
  readonly outRaw: bigint;
  /** Everything that the service's wallet paid in the withdrawal's transaction. */
  readonly grossRaw: bigint | null;
};

const compare = (search: Search, { match, inRaw, outRaw, grossRaw }: Compared): FoundEvidence | null => {
  const digits = significantDigits(inRaw);
  if (digits < UNUSUAL_DIGITS) return null;
  const proofs: TransactionPosition[] = [match];
  // In a small withdrawal the relayer's fee fits as well as the payout.
  if (inRaw === outRaw || (inRaw === grossRaw && isMostOf(outRaw, grossRaw)))
    return {
      weightMax: weightOfCoarse(inRaw),
      family: 'exact_amount',
      grade: gradeOf(digits),
      detail: `The amount that came out equals the amount that went in, in all ${digits} digits.`,
      proofs,
    };
  // A round payout fits any unusual deposit with some fee. A payout that others take as well fits by its
  // round value, not by its digits.
  const feeDigits = Math.min(digits, significantDigits(outRaw));
  if (feeDigits < UNUSUAL_DIGITS) return null;
  return isChargedFee(search, match.canonicalAsset, inRaw, outRaw)
    ? {
        weightMax: Math.min(weightOfCoarse(inRaw), weightOfCoarse(outRaw)),
        family: 'fee_fit',
        grade: gradeOf(feeDigits),
        detail: 'The amount that came out is the amount that went in less a fee that services charge.',
        proofs,
      }
    : null;
};

/** Amounts this coarse are common: others within a hundredth of it would match by chance as often. */
const weightOfCoarse = (amountRaw: bigint): number =>
  Math.log(Math.max(1, Number(amountRaw / 10n ** BigInt(zerosOf(amountRaw))) / 100));

const gradeOf = (digits: number): Grade => (digits >= TELLING_DIGITS ? 'strong' : 'plain');

const isChargedFee = (
  { request, intermediary, found }: Search,
  canonicalAsset: string,
  inRaw: bigint,
  outRaw: bigint,
): boolean => {
  const model = chooseFeeModel(request.chain, {
    entity: intermediary.entity,
    mode: found.mode,
    canonicalAsset,
  });
  if (isExactFee(model, inRaw, outRaw)) return true;
  const feeRaw = inRaw - outRaw;
  if (feeRaw <= 0n) return false;
  const isRoundFlat = significantDigits(feeRaw) <= 2 && zerosOf(feeRaw) - zerosOf(inRaw) >= AGREEING_DIGITS;
  return isRoundFlat || isRoundShare(inRaw, feeRaw, knownDecimals(request.chain, canonicalAsset) ?? 0);
};

/**
 * Truncated or rounded at the last unit, or at the sixth decimal, as in services that keep their books in
 * doubles.
 */
const isRoundShare = (inRaw: bigint, feeRaw: bigint, decimals: number): boolean => {
  const ppm = (feeRaw * MILLION + inRaw / 2n) / inRaw;
  const nearest = ((ppm + ROUND_PPM / 2n) / ROUND_PPM) * ROUND_PPM;
  const off = (inRaw * nearest) / MILLION - feeRaw;
  const slackRaw = decimals > 9 ? 10n ** BigInt(decimals - 9) : 1n;
  // For a small amount every fee is close to a round share.
  const isApart = (inRaw * ROUND_PPM) / MILLION >= (2n * slackRaw + 1n) * 10n ** BigInt(AGREEING_DIGITS);
  return isApart && nearest > 0n && off <= slackRaw && off >= -slackRaw;
};

/** `complete` is false when more matches than are read may have been paid beside others. */
type Gross = { readonly grossOf: (match: MatchingTransfer) => bigint | null; readonly complete: boolean };

/** Forward: from the transactions of the matches. Backward: from the anchor's own. */
const readGross = async (
  { request, anchor, pool }: Search,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<Gross> => {
  if (request.direction === 'in') {
    const [moved] = anchor.moved;
    const grossRaw = sumPaid(anchor.rows, pool, moved?.canonicalAsset ?? '');
    return { grossOf: () => grossRaw, complete: true };
  }
  const isUsual = significantDigits(anchor.moved[0]?.amountRaw ?? 0n) < UNUSUAL_DIGITS;
  if (isUsual || matches.length > FITS_LOOKED_AT_MAX) return { grossOf: () => null, complete: isUsual };
  // Only rows of their assets. Otherwise a recipient could hide the payments by filling his own transaction
  // with other rows.
  const canonicalAssets = [...new Set(matches.map(({ canonicalAsset }) => canonicalAsset))];
  const { rows, complete } = await readRows(matches, canonicalAssets, context);
  const byPlace = Map.groupBy(rows, transactionKey);
  return {
    grossOf: (match) => sumPaid(byPlace.get(transactionKey(match)) ?? [], match.wallet, match.canonicalAsset),
    complete,
  };
};
