import type { PlacedMovement } from '../model/case-reader.ts';
import { countOf } from '../model/count-of.ts';
import { ReadFailedError, type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import { unlessTooLate } from '../session/left-out.ts';
import { type FoundLaunch, findLaunch, type TokenTransaction, toTokenTransactions } from './find-launch.ts';
import type { InsidersReads } from './insiders-reader.ts';
import type { InsidersRequest } from './insiders-report.ts';
import {
  ROWS_AT_ONCE,
  ROWS_MAX,
  TELLING_RESERVE_MS,
  TRANSACTIONS_AT_ONCE,
  TRANSACTIONS_MAX,
  WINDOW_MAX_SECONDS,
} from './rules.ts';

export type ReadLaunch = FoundLaunch & {
  /** The transactions that named the token until the end of the window, in order. */
  readonly transactions: readonly TokenTransaction[];
};

/** With what is missing of the window. */
type Read = ReadLaunch & { readonly missing: readonly string[] };

const UINT32_MAX = 4_294_967_295;

/**
 * Reads the token's first transactions whole. If the token was not sold within the first hours, later sales
 * are looked up.
 */
export const readLaunch = async (
  request: InsidersRequest,
  first: TransactionPosition,
  reads: InsidersReads,
): Promise<ReadLaunch | null> => {
  const soon = first.blockTime + 2 * WINDOW_MAX_SECONDS;
  const { attempt, leaveOut } = reads.session;
  const told = ({ missing, ...launch }: Read): ReadLaunch => {
    if (missing.length > 0) leaveOut('transactions', ...missing);
    return launch;
  };
  const early = await readUntil(request, { first, toUnixSeconds: soon }, reads);
  if (early?.venue && early.at.blockTime + request.windowSeconds <= soon) return told(early);
  const all = await attempt('later sales', () =>
    readUntil(request, { first, toUnixSeconds: UINT32_MAX }, reads),
  );
  if (all !== null) return told(all);
  leaveOut('later sales', 'The token was not sold at once, and later sales were not read in time.');
  return early && told(early);
};

type Range = { readonly first: TransactionPosition; readonly toUnixSeconds: number };

const readUntil = async (
  { chain, token, windowSeconds }: InsidersRequest,
  { first, toUnixSeconds }: Range,
  { tokens, cases, leftMs }: InsidersReads,
): Promise<Read | null> => {
  const range = { token, fromBlock: first.blockNumber, toUnixSeconds };
  const [movements = []] = await tokens.tokenMovements({ chain: chain.name, limit: ROWS_MAX }, [range]);
  const missing: string[] = [];
  const positions = [...new Map(movements.map((row) => [transactionKey(row), row])).values()];
  if (positions.length > TRANSACTIONS_MAX || movements.length === ROWS_MAX)
    missing.push(
      `Only the first ${countOf(Math.min(positions.length, TRANSACTIONS_MAX), 'transaction of the token was', 'transactions of the token were')} read.`,
    );
  const wanted = positions.slice(0, TRANSACTIONS_MAX);
  const rows: PlacedMovement[] = [];
  let filled = 0;
  for (let index = 0; index < wanted.length; index += TRANSACTIONS_AT_ONCE) {
    const slice = wanted.slice(index, index + TRANSACTIONS_AT_ONCE);
    const isLate = leftMs() <= TELLING_RESERVE_MS;
    const read = isLate
      ? null
      : await unlessTooLate(cases.movementsAt({ chain: chain.name, limit: ROWS_AT_ONCE }, slice));
    if (read === null && index === 0) throw new ReadFailedError('timeout');
    if (read === null) {
      missing.push(describeLate(index, wanted.length));
      break;
    }
    rows.push(...read.flatMap((of) => of ?? []));
    // Anybody may fill a transaction with rows. One that leaves no room by itself is passed over, and told.
    filled += read.filter((of) => of === null).length;
    // Enough transactions to know the launch and all buyers of its window.
    if (isPastWindow(rows, token, windowSeconds)) break;
  }
  const transactions = toTokenTransactions(rows);
  const found = findLaunch(transactions, token, transactions[0]?.sender ?? null);
  if (found === null) return null;
  const cut = isCutWithin(found, transactions, windowSeconds) ? missing : [];
  if (filled > 0)
    cut.push(`${countOf(filled, 'transaction has', 'transactions have')} too many rows to be read.`);
  return { ...found, transactions, missing: cut };
};

const describeLate = (at: number, all: number): string =>
  `Time ran out after ${at} of ${all} transactions of the token.`;

/** An omitted transaction matters only when it may belong to the window. */
const isCutWithin = (
  { at }: FoundLaunch,
  transactions: readonly TokenTransaction[],
  windowSeconds: number,
): boolean => (transactions.at(-1)?.blockTime ?? 0) <= at.blockTime + windowSeconds;

const isPastWindow = (rows: readonly PlacedMovement[], token: string, windowSeconds: number): boolean => {
  const transactions = toTokenTransactions(rows);
  const found = findLaunch(transactions, token, transactions[0]?.sender ?? null);
  return found !== null && found.venue !== null && !isCutWithin(found, transactions, windowSeconds);
};
