import type { PlacedMovement } from '../model/case-reader.ts';
import { compareTransactions, type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import { unlessTooLate } from '../session/left-out.ts';
import { findPassed, readDelegations, withoutPassage } from './delegated-wallets.ts';
import { type Grants, holdingsOf } from './read-grants.ts';
import { ROWS_AT_ONCE, TELLING_RESERVE_MS, TRANSACTIONS_AT_ONCE, TRANSACTIONS_MAX } from './rules.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';
import { type Taking, weighTransaction } from './weigh-transaction.ts';

export type ReadTakings = {
  readonly takings: readonly Taking[];
  readonly transactionsRead: number;
};

/**
 * Reads and weighs every transaction that paid the address or that it signed, as far as limits and time
 * allow.
 */
export const readTakings = async (
  request: VictimsRequest,
  { cases, controls, leftMs, session }: VictimsReads,
  grants: Grants,
): Promise<ReadTakings> => {
  const { chain, address: wallet, fromUnixSeconds, toUnixSeconds } = request;
  const common = { chain: chain.name, limit: TRANSACTIONS_MAX + 1 };
  const asked = { ...common, fromUnixSeconds, toUnixSeconds };
  const until = grants.events.filter(({ blockTime }) => blockTime <= toUnixSeconds);
  const [[received = []], [signed = []], [taken = []]] = await Promise.all([
    cases.receipts(asked, [wallet]),
    cases.signed(asked, [wallet]),
    cases.takenFrom(common, [
      {
        holdings: holdingsOf(chain, until),
        sinceUnixSeconds: Math.max(fromUnixSeconds, grants.events[0]?.blockTime ?? 0),
      },
    ]),
  ]);
  const leaveOut = (missing: string): void => session.leaveOut('transactions', missing);
  for (const [found, what] of [
    [received, 'that paid the address'],
    [signed, 'that the address signed'],
    [taken, 'that took from who had allowed it'],
  ] as const)
    describeCut(found, what).forEach(leaveOut);
  const positions = joinPositions(
    received.slice(0, TRANSACTIONS_MAX),
    signed.slice(0, TRANSACTIONS_MAX),
    taken.slice(0, TRANSACTIONS_MAX).filter(({ blockTime }) => blockTime <= toUnixSeconds),
  );
  const takings: Taking[] = [];
  let transactionsRead = 0;
  while (transactionsRead < positions.length) {
    const slice = positions.slice(transactionsRead, transactionsRead + TRANSACTIONS_AT_ONCE);
    const read = leftMs() > TELLING_RESERVE_MS ? await readSlice(request, slice, cases) : null;
    if (read === null) {
      leaveOut(`Time ran out after ${transactionsRead} of ${positions.length} transactions.`);
      break;
    }
    if (read.includes(null)) leaveOut('Some transactions have so many rows that not all of them were read.');
    const whole = read.flatMap((of) => (of === null ? [] : [of]));
    const passed = chain.family === 'evm' ? findPassed(whole.flat(), wallet) : [];
    const delegations = await readDelegations(request, passed, { controls, session });
    for (const own of whole) takings.push(...weighTransaction(withoutPassage(own, delegations), wallet));
    transactionsRead += slice.length;
  }
  return { takings, transactionsRead };
};

const describeCut = (found: readonly TransactionPosition[], what: string): string[] => {
  const last = found[TRANSACTIONS_MAX - 1];
  if (found.length <= TRANSACTIONS_MAX || last === undefined) return [];
  return [
    `Only the first ${TRANSACTIONS_MAX} transactions ${what} were read, up to ${last.blockTime}. Ask again with since.`,
  ];
};

const joinPositions = (...lists: readonly (readonly TransactionPosition[])[]): TransactionPosition[] =>
  [...new Map(lists.flat().map((position) => [transactionKey(position), position])).values()].sort(
    compareTransactions,
  );

/** null: not read in time. */
const readSlice = (
  { chain }: VictimsRequest,
  positions: readonly TransactionPosition[],
  cases: VictimsReads['cases'],
): Promise<readonly (readonly PlacedMovement[] | null)[] | null> =>
  unlessTooLate(cases.movementsAt({ chain: chain.name, limit: ROWS_AT_ONCE }, positions));
