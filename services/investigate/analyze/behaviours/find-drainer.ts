import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import { behave, type FindBehaviour } from './observed.ts';

/** Of one payment the operator of a drainer keeps a fifth to a third, and who brought the victim gets the rest. */
const PART_MIN = 0.15;
const PART_MAX = 0.35;
const VICTIMS_MIN = 4;
/** Of the transactions that paid it most: whoever is mostly paid otherwise is no till of a drainer. */
const SHARE_MIN = 0.2;
/** Few affiliates bring many victims; at a market nearly every sale has a seller of its own. */
const AFFILIATES_PER_VICTIM_MAX = 0.75;

type Cut = {
  readonly row: TransactionRow;
  readonly payer: string;
  readonly affiliate: string;
  readonly part: number;
};

/**
 * Many payers lose a sum that is split at one ratio, a part to this wallet and the rest to somebody else, within one transaction:
 * the profit split of drainers as a service (operator 20, affiliate 80; blocksec).
 */
export const findDrainer: FindBehaviour = ({ wallet, siblings }) => {
  const transactions = [...Map.groupBy(siblings, transactionKey).values()];
  const paid = transactions.filter((rows) => rows.some(({ to, from }) => to === wallet && from !== wallet));
  const cuts = paid.flatMap((rows) => findCut(rows, wallet));
  const usual = cuts.toSorted((a, b) => a.part - b.part)[Math.floor(cuts.length / 2)];
  const same = cuts.filter(({ part }) => Math.abs(part - (usual?.part ?? 0)) < 0.01);
  const victims = new Set(same.map(({ payer }) => payer)).size;
  const affiliates = new Set(same.map(({ affiliate }) => affiliate)).size;
  if (usual === undefined || victims < VICTIMS_MIN || same.length < paid.length * SHARE_MIN) return null;
  if (affiliates > victims * AFFILIATES_PER_VICTIM_MAX) return null;
  const detail =
    `${victims} payers were split at one ratio within a transaction: ` +
    `${Math.round(usual.part * 100)} % to this wallet, the rest to somebody else.`;
  return behave(
    'drainer',
    { confidence: 0.85, severity: 'critical', detail },
    same.map(({ row }) => row),
  );
};

const findCut = (rows: readonly TransactionRow[], wallet: string): Cut[] => {
  const mine = rows.find(({ to, from }) => to === wallet && from !== wallet);
  if (mine === undefined) return [];
  const others = rows.filter(
    ({ from, to, family }) => from === mine.from && to !== wallet && family === mine.family,
  );
  const [rest, ...more] = others;
  if (rest === undefined || more.length > 0) return [];
  const part = Number((mine.amountRaw * 10_000n) / (mine.amountRaw + rest.amountRaw)) / 10_000;
  // Behind a contract the payer is whoever paid the contract.
  const payer = rows.find(({ to }) => to === mine.from)?.from ?? mine.from;
  return part >= PART_MIN && part <= PART_MAX ? [{ row: mine, payer, affiliate: rest.to, part }] : [];
};
