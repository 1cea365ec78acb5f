import type { Query } from '../../model/query.ts';
import type { CountedSide } from '../../model/trace-reader.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Kind } from '../kind.ts';
import { untilRead } from './until-read.ts';

type KindOf<Method> =
  Method extends Query<infer Common, infer Key, infer Answer> ? Kind<Common, Key, Answer> : never;
export type KindsOf<Port> = { readonly [Method in keyof Port]: KindOf<Port[Method]> };

/** Addresses, transactions and times that one query handles well. */
const NAMED_MAX = 1_000;
/** Sides of wallets; each is several ranges of a key. */
const SIDES_MAX = 512;
/** Ranges of amounts or times. */
const RANGES_MAX = 1_000;
/** Ranges that are each a part of the query. */
const PARTS_MAX = 32;

type How = Omit<Kind<never, never, never>, 'query'> & {
  /** Keys that an answer had no room for are asked for again. */
  readonly isAskedAgain?: boolean;
};

const lists = new WeakMap<object, number>();
let listed = 0;

/** A list of thousands of candidates is told by which one it is, not by what is in it. */
function countedText({ wallet, direction, among }: CountedSide): string {
  const list = lists.get(among) ?? ++listed;
  lists.set(among, list);
  return `${direction} ${wallet} ${list}`;
}

/** How queries are asked that are not asked by any number of keys and forgotten. */
const HOW: Readonly<Record<string, How>> = {
  labels: { keysMax: NAMED_MAX, isKept: true },
  services: { keysMax: NAMED_MAX },
  transactionHashes: { keysMax: NAMED_MAX, isKept: true },
  prices: { keysMax: NAMED_MAX },
  transaction: { keysMax: RANGES_MAX },
  transactionRows: { keysMax: RANGES_MAX, isAskedAgain: true },
  serviceWallets: { isKept: true },
  serviceTransfers: { keysMax: RANGES_MAX, isKept: true },
  walletTransfers: { keysMax: PARTS_MAX, isKept: true },
  neighbours: { keysMax: SIDES_MAX, isKept: true },
  counterpartyCounts: { keysMax: SIDES_MAX, textOf: countedText },
  partlyRead: { keysMax: SIDES_MAX },
  transfersBetween: { keysMax: SIDES_MAX },
  indexedSpan: { isKept: true },
  contiguousRange: { isKept: true },
  wholeTransactions: { keysMax: RANGES_MAX, isAskedAgain: true },
  balance: { keysMax: SIDES_MAX },
  lost: { keysMax: SIDES_MAX },
  isKnown: { keysMax: PARTS_MAX },
  movementsAt: { keysMax: RANGES_MAX, textOf: transactionKey, isAskedAgain: true },
  receipts: { keysMax: PARTS_MAX },
  signed: { keysMax: PARTS_MAX },
  payments: { keysMax: NAMED_MAX },
  imitated: { keysMax: NAMED_MAX },
  handled: { keysMax: NAMED_MAX },
  firstReceipts: { keysMax: SIDES_MAX },
  firstFunders: { keysMax: NAMED_MAX },
  fundedCounts: { keysMax: NAMED_MAX },
  trades: { keysMax: NAMED_MAX },
  topCallers: { keysMax: PARTS_MAX },
};

/** The kinds of a port's methods. */
export const kindsOf = <Port extends object>(port: Port): KindsOf<Port> =>
  Object.fromEntries(
    Object.entries(port).map(([name, query]) => [name, kindOf(name, query as Query<never, never, never>)]),
  ) as unknown as KindsOf<Port>;

/** The kind of one method. */
export const kindOf = <Common, Key, Answer>(
  name: string,
  query: Query<Common, Key, Answer>,
): Kind<Common, Key, Answer> => {
  const { isAskedAgain = false, ...how } = HOW[name] ?? {};
  return { ...how, query: isAskedAgain ? untilRead(query as never) : query } as Kind<Common, Key, Answer>;
};
