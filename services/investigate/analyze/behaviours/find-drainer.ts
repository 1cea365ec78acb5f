import { type Address, presentAddress } from '../../model/address.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import type { Transfer } from '../profile.ts';
import { behave, type FindBehaviour, isIn, type Observed } from './observed.ts';

/**
 * A drainer's operator keeps a fifth to a third of each payment. The affiliate who brought the victim gets
 * the rest.
 */
const PART_MIN = 0.15;
const PART_MAX = 0.35;
const VICTIMS_MIN = 4;
/**
 * Minimum share of the wallet's largest incoming transactions, or of their dollars. A wallet that is mostly
 * paid in other ways is not a drainer's.
 */
const SHARE_MIN = 0.2;
/** Few affiliates bring many victims. At a market nearly every sale has its own seller. */
const AFFILIATES_PER_VICTIM_MAX = 0.75;
/**
 * A buyer signs the payment. Some victims of a drainer did not send the transaction in which they lost money.
 */
const UNSIGNED_MIN = 2;

type Cut = {
  readonly row: TransactionRow;
  readonly payer: Address;
  /** The recipient of the rest. */
  readonly other: Address;
  readonly part: number;
};

/**
 * Detects the profit split of drainers as a service (operator 20 %, affiliate 80 %; Blocksec). Many payers
 * lose a sum within one transaction, and each sum is split at the same ratio between this wallet and somebody
 * else.
 */
export const findDrainer: FindBehaviour = (observed) => {
  const same = findSameCuts(observed, (part) => part >= PART_MIN && part <= PART_MAX);
  if (same === null) return null;
  const { cuts, victims, others, part } = same;
  if (others.size > victims * AFFILIATES_PER_VICTIM_MAX) return null;
  const detail =
    `${victims} payers each lost a payment that was split at the same ratio within a transaction: ` +
    `${Math.round(part * 100)} % to this wallet, the rest to somebody else.`;
  return behave(
    'drainer',
    { confidence: 0.85, severity: 'critical', detail },
    cuts.map(({ row }) => row),
  );
};

/**
 * Detects the affiliate, who gets the larger part of the same split. The rest must go to one operator, and
 * others must have sent some of the transactions.
 */
export const findDrainerPartner: FindBehaviour = (observed) => {
  const same = findSameCuts(observed, (part) => 1 - part >= PART_MIN && 1 - part <= PART_MAX);
  const [operator] = same?.others ?? [];
  if (same === null || operator === undefined || same.others.size > 1) return null;
  const { cuts, victims, part } = same;
  const unsigned = cuts.filter(
    ({ row, payer }) => row.sender !== payer && row.sender !== observed.wallet,
  ).length;
  if (unsigned < UNSIGNED_MIN) return null;
  const detail =
    `${victims} payers each lost a payment that was split at the same ratio within a transaction: ` +
    `${Math.round(part * 100)} % to this wallet, the rest to ${presentAddress(observed.chain, operator)}. ${unsigned} of the payments were sent by others.`;
  return behave(
    'drainer_partner',
    { confidence: 0.75, severity: 'critical', detail },
    cuts.map(({ row }) => row),
  );
};

type SameCuts = {
  readonly cuts: readonly Cut[];
  readonly victims: number;
  readonly others: ReadonlySet<Address>;
  readonly part: number;
};

/**
 * The payments that were split at the most common ratio; null when they are too few, or only a small part of
 * what paid the wallet.
 */
const findSameCuts = (
  { wallet, siblings, payments }: Observed,
  isPart: (part: number) => boolean,
): SameCuts | null => {
  const transactions = [...Map.groupBy(siblings, transactionKey).values()];
  const paid = transactions.filter((rows) => rows.some(({ to, from }) => to === wallet && from !== wallet));
  const cuts = paid.flatMap((rows) => findCut(rows, wallet)).filter(({ part }) => isPart(part));
  const usual = cuts.toSorted((a, b) => a.part - b.part)[Math.floor(cuts.length / 2)];
  const same = cuts.filter(({ part }) => Math.abs(part - (usual?.part ?? 0)) < 0.01);
  const victims = new Set(same.map(({ payer }) => payer)).size;
  if (usual === undefined || victims < VICTIMS_MIN) return null;
  const usdOf = sumByTransaction(payments);
  const sum = (keys: readonly string[]): number =>
    keys.reduce((total, key) => total + (usdOf.get(key) ?? 0), 0);
  const sameUsd = sum(same.map(({ row }) => transactionKey(row)));
  const paidUsd = sum(paid.flatMap(([row]) => (row ? [transactionKey(row)] : [])));
  // Dust from strangers adds many transactions but no money.
  const isMostly = same.length >= paid.length * SHARE_MIN || sameUsd > paidUsd * SHARE_MIN;
  if (!isMostly) return null;
  return { cuts: same, victims, others: new Set(same.map(({ other }) => other)), part: usual.part };
};

const sumByTransaction = (payments: readonly Transfer[]): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>();
  for (const payment of payments.filter(isIn)) {
    const key = transactionKey(payment);
    sums.set(key, (sums.get(key) ?? 0) + (payment.usd ?? 0));
  }
  return sums;
};

const findCut = (rows: readonly TransactionRow[], wallet: Address): Cut[] => {
  const mine = rows.find(({ to, from }) => to === wallet && from !== wallet);
  if (mine === undefined) return [];
  const others = rows.filter(
    ({ from, to, canonicalAsset }) =>
      from === mine.from && to !== wallet && canonicalAsset === mine.canonicalAsset,
  );
  const [rest, ...more] = others;
  if (rest === undefined || more.length > 0) return [];
  const part = Number((mine.amountRaw * 10_000n) / (mine.amountRaw + rest.amountRaw)) / 10_000;
  // When a contract paid, the payer is whoever paid the contract.
  const payer = rows.find(({ to }) => to === mine.from)?.from ?? mine.from;
  return [{ row: mine, payer, other: rest.to, part }];
};
