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

/** From so many digits on an amount is all but a name. */
const TELLING_DIGITS = 6;
/**
 * Digits below those of a round fee, the same in what went in and what came out: any two amounts in cents differ by a sum in cents, and
 * one pair in a thousand agrees in so many.
 */
const AGREEING_DIGITS = 3;
/** Percentages that services charge are round: hundredths of a per cent. */
const ROUND_PPM = 100n;
const MILLION = 1_000_000n;

/**
 * Amounts that agree to the last unit, where they have digits that others would not choose: what came out is what went
 * in, together with the fees paid in the same transaction or without any (`exact_amount`), or less by a fee that services
 * charge: the known model, a round share, a round flat sum (`fee_fit`). After Yousaf et al. 2019, "Tracing Transactions
 * Across Cryptocurrency Ledgers", who match what enters and leaves ShapeShift by amount and fee. Equal notes say nothing.
 */
export const matchAmounts = async (
  search: Search,
  matches: readonly MatchingTransfer[],
  context: QueryContext,
): Promise<EvidenceFound> => {
  const [moved] = search.anchor.moved;
  if (search.found.mode === 'fixed' || moved === undefined || !search.anchor.verified)
    return { found: [], complete: true };
  // An amount of another asset has digits of its own.
  const same = matches.filter(({ canonicalAsset }) => canonicalAsset === moved.canonicalAsset);
  const { grossOf, complete } = await readGross(search, same, context);
  const isForward = search.request.direction === 'out';
  const found = same.flatMap((match) => {
    const inRaw = isForward ? moved.amountRaw : match.amountRaw;
    const outRaw = isForward ? match.amountRaw : moved.amountRaw;
    const evidence = compare(search, { match, inRaw, outRaw, grossRaw: grossOf(match) });
    return evidence === null ? [] : [[match.counterparty, evidence] as const];
  });
  // One transfer of a wallet at most is the anchor's: that several agree makes it no surer. The last of each stays.
  const surestLast = found.reverse().sort(([, a], [, b]) => surenessOf(a) - surenessOf(b));
  return { found: [...new Map(surestLast)], complete };
};

const surenessOf = ({ family, grade }: FoundEvidence): number =>
  (grade === 'strong' ? 2 : 0) + (family === 'exact_amount' ? 1 : 0);

type Compared = {
  readonly match: MatchingTransfer;
  readonly inRaw: bigint;
  readonly outRaw: bigint;
  /** All that the service's wallet paid in the transaction of the withdrawal. */
  readonly grossRaw: bigint | null;
};

const compare = (search: Search, { match, inRaw, outRaw, grossRaw }: Compared): FoundEvidence | null => {
  const digits = significantDigits(inRaw);
  if (digits < UNUSUAL_DIGITS) return null;
  const proofs: TransactionPosition[] = [match];
  // Of a small withdrawal the relayer's fee fits as well as what was left of it.
  if (inRaw === outRaw || (inRaw === grossRaw && isMostOf(outRaw, grossRaw)))
    return {
      weightMax: weightOfCoarse(inRaw),
      family: 'exact_amount',
      grade: gradeOf(digits),
      detail: `The amount that came out equals the amount that went in, in all ${digits} digits.`,
      proofs,
    };
  // A round payout is a fee of any unusual deposit: what others take out as well agrees with it by the round sum, not by its digits.
  const feeDigits = Math.min(digits, significantDigits(outRaw));
  if (feeDigits < UNUSUAL_DIGITS) return null;
  return isChargedFee(search, match.canonicalAsset, inRaw, outRaw)
    ? {
        weightMax: Math.min(weightOfCoarse(inRaw), weightOfCoarse(outRaw)),
        family: 'fee_fit',
        grade: gradeOf(feeDigits),
        detail: 'The amount that came out is what went in less a fee that services charge.',
        proofs,
      }
    : null;
};

/** Of amounts as coarse as this one so few lie within a hundredth of it: who chooses as coarsely agrees by chance as often. */
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

/** Cut off or rounded at the last unit, or at the sixth decimal, as services that keep their books in doubles do. */
const isRoundShare = (inRaw: bigint, feeRaw: bigint, decimals: number): boolean => {
  const ppm = (feeRaw * MILLION + inRaw / 2n) / inRaw;
  const nearest = ((ppm + ROUND_PPM / 2n) / ROUND_PPM) * ROUND_PPM;
  const off = (inRaw * nearest) / MILLION - feeRaw;
  const slackRaw = decimals > 9 ? 10n ** BigInt(decimals - 9) : 1n;
  // Of a small amount every fee is next to a round share.
  const isApart = (inRaw * ROUND_PPM) / MILLION >= (2n * slackRaw + 1n) * 10n ** BigInt(AGREEING_DIGITS);
  return isApart && nearest > 0n && off <= slackRaw && off >= -slackRaw;
};

/** `complete` is false where more matches than are read may have been paid beside others. */
type Gross = { readonly grossOf: (match: MatchingTransfer) => bigint | null; readonly complete: boolean };

/** Forward from the transactions of the matches, backward from the anchor's own. */
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
  // Of their assets alone, or a recipient who fills his own transaction with others hides what was paid in theirs.
  const canonicalAssets = [...new Set(matches.map(({ canonicalAsset }) => canonicalAsset))];
  const { rows, complete } = await readRows(matches, canonicalAssets, context);
  const byPlace = Map.groupBy(rows, transactionKey);
  return {
    grossOf: (match) => sumPaid(byPlace.get(transactionKey(match)) ?? [], match.wallet, match.canonicalAsset),
    complete,
  };
};
