import type { Address } from '../../model/address.ts';
import { addRaw, largestFirst, least, sumOf } from '../../model/amount.ts';
import {
  type Flow,
  type SwapFlow,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import { CYCLES_OF_ONE_MAX, MAJORITY_PARTS, PARTS } from '../rules.ts';

/** What came back to its payers within the same transactions. Grows along a trail. */
export type Refunds = {
  /** Of each payment: raw units, by `paymentKey`. */
  readonly raw: Map<string, bigint>;
  /** What came back later for the receipt of a deposit, while one wallet is looked at. */
  readonly paidBack: PaidBack;
};

/** Raw units by `positionKey`. */
export type PaidBack = {
  /** Of the followed asset, of each deposit. */
  readonly raw: ReadonlyMap<string, bigint>;
  /** Of the receipt, of each transaction that gave it back. */
  readonly usedRaw: ReadonlyMap<string, bigint>;
};

/** Wallets that refunds went through: what was decided of them before must be decided again. */
export type Refunded = { readonly refunded: ReadonlySet<Address> };

export const NOT_REFUNDED: Refunded = { refunded: new Set() };

export const noRefunds = (): Refunds => ({
  raw: new Map(),
  paidBack: { raw: new Map(), usedRaw: new Map() },
});

export const positionKey = (
  wallet: Address,
  swap: TransactionPosition & Pick<SwapFlow, 'otherAsset'>,
): string => `${transactionKey(swap)} ${wallet} ${swap.otherAsset}`;

/** Backward, `from` is the one who was paid. */
export const paymentKey = (position: TransactionPosition, from: Address, to: Address): string =>
  `${transactionKey(position)} ${from} ${to}`;

/** A wallet's rows on the trail's way (`onward`) or against it. */
type Side = { readonly wallet: Address; readonly onward: boolean };

/**
 * Takes the rows of one side of a wallet page by page and subtracts from each payment what came back within the same transaction. With
 * several payments to one wallet, the largest is reduced.
 */
export const createWithoutRefunds = (
  refunds: Refunds,
  { wallet, onward }: Side,
): ((rows: readonly Flow[]) => readonly Flow[]) => {
  if (refunds.raw.size === 0 && refunds.paidBack.raw.size === 0) return (rows) => rows;
  const takeOff = createTakeOff(refunds);
  return (rows) =>
    rows.toSorted(largestFirst).map((row) => {
      if (row.type === 'swap') return onward ? withoutPaidBack(row, wallet, refunds.paidBack) : row;
      const [from, to] = onward ? [wallet, row.counterparty] : [row.counterparty, wallet];
      return takeOff(row, paymentKey(row, from, to));
    });
};

const withoutPaidBack = (swap: SwapFlow, wallet: Address, { raw }: PaidBack): SwapFlow => {
  const backRaw = raw.get(positionKey(wallet, swap)) ?? 0n;
  if (backRaw === 0n) return swap;
  const amountRaw = swap.amountRaw - backRaw;
  return { ...swap, amountRaw, otherRaw: (swap.otherRaw * amountRaw) / swap.amountRaw };
};

/** The same of whole transactions. */
export const withoutRefunds = (
  rows: readonly TransactionRow[],
  refunds: Refunds,
  direction: Direction,
): readonly TransactionRow[] => {
  const takeOff = createTakeOff(refunds);
  return rows
    .toSorted(largestFirst)
    .map((row) => takeOff(row, paymentKey(row, direction.payerOf(row), direction.payeeOf(row))))
    .filter(({ amountRaw }) => amountRaw > 0n);
};

const createTakeOff = (refunds: Refunds) => {
  // Not a copy: a flow's refunds may be many, and its transactions, too.
  const left = new Map<string, bigint>();
  return <Row extends { readonly amountRaw: bigint }>(row: Row, key: string): Row => {
    const backRaw = left.get(key) ?? refunds.raw.get(key) ?? 0n;
    if (backRaw === 0n) return row;
    const amountRaw = row.amountRaw > backRaw ? row.amountRaw - backRaw : 0n;
    left.set(key, backRaw - (row.amountRaw - amountRaw));
    return { ...row, amountRaw };
  };
};

/** Payer and payee of a payment, on the trail's way. */
type Step = readonly [from: Address, to: Address];

/** What went round within one transaction. */
type TakenCycles = {
  readonly returned: ReadonlyMap<string, bigint>;
  /** Through whom. */
  readonly wallets: ReadonlySet<Address>;
  /** Whether it is most of what those wallets sent. */
  readonly isMost: boolean;
};

/** By whom and to whom on the trail's way. */
type Edges = Map<Address, Map<Address, bigint>>;

/**
 * Finds and removes the cycles through these wallets within one transaction. The shortest come first, so that mutual payments of two
 * wallets are not counted as part of a longer cycle.
 */
export const takeCycles = (
  rows: readonly TransactionRow[],
  wallets: readonly Address[],
  direction: Direction,
): TakenCycles => {
  const edges = toEdges(rows, direction);
  const returned = new Map<string, bigint>();
  const through = new Set<Address>();
  const sentRaw = sumOf(rows.filter((row) => wallets.includes(direction.payerOf(row))));
  let backRaw = 0n;
  const [first] = rows;
  const findShortest = createFindShortest(edges, wallets);
  let cycle = findShortest();
  for (let taken = 0; first && cycle !== null && taken < CYCLES_OF_ONE_MAX; taken += 1) {
    const amountRaw = cycle.map(([from, to]) => edges.get(from)?.get(to) ?? 0n).reduce(least);
    for (const [from, to] of cycle) {
      addTo(edges, from, to, -amountRaw);
      through.add(from);
      if (wallets.includes(from)) backRaw += amountRaw;
      addRaw(returned, paymentKey(first, from, to), amountRaw);
    }
    cycle = findShortest();
  }
  return { returned, wallets: through, isMost: backRaw * PARTS >= sentRaw * MAJORITY_PARTS };
};

/** The shortest cycle through any of these wallets. As payments are removed most cycles stay valid, and none is new. */
const createFindShortest = (edges: Edges, wallets: readonly Address[]): (() => readonly Step[] | null) => {
  const found = new Map(wallets.map((wallet) => [wallet, findCycle(edges, wallet)]));
  const stands = (cycle: readonly Step[]): boolean =>
    cycle.every(([from, to]) => edges.get(from)?.has(to) ?? false);
  return () => {
    for (const [wallet, cycle] of found)
      if (cycle !== null && !stands(cycle)) found.set(wallet, findCycle(edges, wallet));
    const cycles = [...found.values()].filter((cycle) => cycle !== null);
    return cycles.sort((a, b) => a.length - b.length)[0] ?? null;
  };
};

/** Each wallet's payees are ordered by name: the order of rows within a transaction proves nothing. */
const toEdges = (rows: readonly TransactionRow[], direction: Direction): Edges => {
  const { payerOf, payeeOf } = direction;
  const edges: Edges = new Map();
  const inOrder = rows.toSorted((a, b) => (payeeOf(a) < payeeOf(b) ? -1 : 1));
  for (const row of inOrder) addTo(edges, payerOf(row), payeeOf(row), row.amountRaw);
  return edges;
};

const addTo = (edges: Edges, from: Address, to: Address, amountRaw: bigint): void => {
  const onward = edges.get(from) ?? new Map<Address, bigint>();
  const sumRaw = (onward.get(to) ?? 0n) + amountRaw;
  if (sumRaw === 0n) onward.delete(to);
  else onward.set(to, sumRaw);
  edges.set(from, onward);
};

/** The shortest way from the wallet back to it, payment by payment; null where there is none. */
const findCycle = (edges: Edges, wallet: Address): readonly Step[] | null => {
  const before = new Map<Address, Address>();
  const queue = [wallet];
  for (const from of queue) {
    for (const to of edges.get(from)?.keys() ?? []) {
      if (before.has(to)) continue;
      before.set(to, from);
      if (to === wallet) return wayBack(before, wallet);
      queue.push(to);
    }
  }
  return null;
};

const wayBack = (before: ReadonlyMap<Address, Address>, wallet: Address): readonly Step[] => {
  const way: Step[] = [];
  let to = wallet;
  do {
    const from = before.get(to) ?? wallet;
    way.push([from, to]);
    to = from;
  } while (to !== wallet);
  return way;
};
