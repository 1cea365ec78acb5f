import { sumOf } from '../../model/amount.ts';
import type { WalletTransfer } from '../../model/trace-reader.ts';
import { compareTransactions, transactionKey } from '../../model/transfer-reader.ts';
import { isStray } from '../dust.ts';
import { isMostOf } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { type AskedLast, type LastTransfers, readLastTransfers } from './read-last-transfers.ts';

/** `amountRaw`: the size of the transfers that matter. */
type RouterQuestion = Omit<AskedLast, 'direction'> & { readonly amountRaw: bigint };

type RouterLeg = WalletTransfer & { readonly isIn: boolean };

/** The amount that passed through in one transaction. */
type Passage = { readonly gotRaw: bigint; readonly gaveRaw: bigint; readonly legs: readonly RouterLeg[] };

/**
 * `isRouter`: whether the wallet passed on most of what it received in most of its last transactions.
 * `passages` are those; null when none is known.
 */
type RouterVerdict = { readonly isRouter: boolean | null; readonly passages: readonly Passage[] };

/**
 * Decides whether a wallet of a mixer is a router, from its last transfers. A deposit in the same transaction
 * as a withdrawal looks like a router, but the notes of most other depositors stayed. Counts transactions,
 * because one large amount could outweigh all others. Ignores strays, because anybody can leave one for
 * cents.
 */
export const judgeRouter = async (asked: RouterQuestion, context: QueryContext): Promise<RouterVerdict> => {
  const [got, gave] = await Promise.all([
    readLastTransfers({ ...asked, direction: 'in' }, context),
    readLastTransfers({ ...asked, direction: 'out' }, context),
  ]);
  const legs = [
    ...got.transfers.map((leg): RouterLeg => ({ ...leg, isIn: true })),
    ...gave.transfers.map((leg): RouterLeg => ({ ...leg, isIn: false })),
  ].filter((leg) => isComplete(leg, got) && isComplete(leg, gave));
  const inEarnest = [...Map.groupBy(legs, transactionKey).values()]
    .map(
      (both): Passage => ({
        gotRaw: sumOf(both.filter(({ isIn }) => isIn)),
        gaveRaw: sumOf(both.filter(({ isIn }) => !isIn)),
        legs: both,
      }),
    )
    .filter(({ gotRaw, gaveRaw }) => !isStray(gotRaw + gaveRaw, asked.amountRaw));
  const passages = inEarnest.filter(({ gotRaw, gaveRaw }) => gotRaw > 0n && isMostOf(gaveRaw, gotRaw));
  return { isRouter: inEarnest.length === 0 ? null : passages.length * 2 > inEarnest.length, passages };
};

/** Whether all legs of its transaction on that side are among those that were read. */
const isComplete = (leg: WalletTransfer, { transfers, isCut }: LastTransfers): boolean => {
  const oldest = transfers.at(-1);
  return !isCut || (oldest !== undefined && compareTransactions(leg, oldest) > 0);
};
