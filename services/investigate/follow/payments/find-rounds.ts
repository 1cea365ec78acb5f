import type { Address } from '../../model/address.ts';
import { addRaw, least } from '../../model/amount.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { isLeftOut } from '../follow-reader.ts';
import type { Journey } from '../journey.ts';
import { readTransactions } from '../read-transactions.ts';
import { MAJORITY_PARTS, NEXT_PAGE_ROWS, PARTS, ROUNDS_MAX, ROUNDS_OF_ONE_MAX } from '../rules.ts';
import { startOf } from './gather-outgoing.ts';
import { type Arrival, compareOnTrail } from './outgoing.ts';
import { flowSides, readFlows } from './read-flows.ts';
import { joinReturned, paymentKey, type Returned } from './without-returned.ts';

/** A payment by whom and to whom on the trail's way. */
type Step = readonly [from: Address, to: Address];

/** Money that a trail walked back to a wallet, within one transaction each. */
export type WalkedRound = {
  readonly wallet: Address;
  /** Where that was, the first of several. */
  readonly from: TransactionPosition;
  readonly way: readonly Step[];
  /** How much went all that way, by transaction. */
  readonly carried: readonly Arrival[];
};

export type Rounds = {
  /** With what was known before. */
  readonly returned: Returned;
  /** Through whom they went. */
  readonly wallets: ReadonlySet<Address>;
};

/**
 * What went round in the transactions in which a round was walked, and from there on in those of its wallet in which most of what
 * it sent off did: three questions for a thousand of them, each of which would cost a walk. Where they cannot be read, what was walked.
 */
export const findRounds = async (journey: Journey, walked: WalkedRound): Promise<Rounds> => {
  const found = await readRounds(journey, walked);
  const told = new Set(found.flatMap(({ key, isAll }) => (isAll ? [key] : [])));
  const rest = walked.carried.filter((at) => !told.has(transactionKey(at)));
  const returned = new Map(journey.returned);
  for (const at of rest)
    for (const [from, to] of walked.way) addRaw(returned, paymentKey(at, from, to), at.amountRaw);
  return {
    returned: joinReturned(returned, new Map(found.flatMap((rounds) => [...rounds.returned]))),
    wallets: new Set([
      ...(rest.length > 0 ? walked.way.map(([from]) => from) : []),
      ...found.flatMap((rounds) => [...rounds.wallets]),
    ]),
  };
};

/** Those of one transaction, unless there were too many all of them. */
type RoundsOfOne = Rounds & { readonly key: string; readonly isAll: boolean };

const readRounds = async (journey: Journey, walked: WalkedRound): Promise<readonly RoundsOfOne[]> => {
  const { request, asset, read } = journey;
  const { chain, backward } = request;
  const isOfMoney = ({ from, to, family }: TransactionRow): boolean =>
    family === asset.family && from !== chain.wrappedNative && to !== chain.wrappedNative;
  const walkedAt = new Set(walked.carried.map(transactionKey));
  try {
    const positions = [...walked.carried, ...(await findBothWays(journey, walked))].slice(0, ROUNDS_MAX);
    const { rows } = await readTransactions(chain, positions, read);
    return [...rows].flatMap(([key, of]) => {
      const [at] = of;
      if (at === undefined) return [];
      const isWalked = walkedAt.has(key);
      const wallets = isWalked ? walked.way.map(([from]) => from) : [walked.wallet];
      const rounds = takeRounds(of.filter(isOfMoney), { at, wallets, backward });
      // Of what is less a refund is the most: those are not netted.
      return rounds.isMost || isWalked ? [{ ...rounds, key }] : [];
    });
  } catch (error) {
    if (isLeftOut(error)) return [];
    throw error;
  }
};

/**
 * Transactions of a page in which the wallet both paid and was paid, in the trail's order; those before all that was read of its
 * receipts may be such: anybody can fill a page with crumbs.
 */
const findBothWays = async (
  journey: Journey,
  { wallet, from }: WalkedRound,
): Promise<readonly TransactionPosition[]> => {
  const { backward } = journey.request;
  const { onward, counter } = flowSides(backward);
  const asked = { wallet, limit: NEXT_PAGE_ROWS, transfersOnly: true };
  const { rows: left } = await readFlows(journey, onward, { ...asked, from: startOf(from) });
  const last = left.at(-1);
  if (last === undefined) return [];
  const { rows: came, next } = await readFlows(journey, counter, { ...asked, from: startOf(last) });
  const cameAt = new Set(came.map(transactionKey));
  const compare = compareOnTrail(backward);
  const reach = next === null ? undefined : came.at(-1);
  const both = left.filter(
    (row) => cameAt.has(transactionKey(row)) || (reach !== undefined && compare(row, reach) <= 0),
  );
  return [...new Map(both.map((row) => [transactionKey(row), row])).values()];
};

type Way = {
  readonly at: TransactionPosition;
  readonly wallets: readonly Address[];
  readonly backward: boolean;
};

/** By whom and to whom on the trail's way. */
type Edges = Map<Address, Map<Address, bigint>>;

/**
 * What went round through some of these wallets, the shortest rounds first: what two paid each other is told by itself, and not
 * what a longer way leads through it.
 */
const takeRounds = (
  rows: readonly TransactionRow[],
  { at, wallets, backward }: Way,
): Omit<RoundsOfOne, 'key'> & { readonly isMost: boolean } => {
  const edges: Edges = new Map();
  const returned = new Map<string, bigint>();
  const through = new Set<Address>();
  for (const { from, to, amountRaw } of rows) {
    if (backward) addTo(edges, to, from, amountRaw);
    else addTo(edges, from, to, amountRaw);
  }
  const sentRaw = sumOfSteps(wallets, edges);
  let round = findShortest(edges, wallets);
  for (let rounds = 0; round !== null && rounds < ROUNDS_OF_ONE_MAX; rounds += 1) {
    const amountRaw = round.map(([from, to]) => edges.get(from)?.get(to) ?? 0n).reduce(least);
    for (const [from, to] of round) {
      addTo(edges, from, to, -amountRaw);
      through.add(from);
      addRaw(returned, paymentKey(at, from, to), amountRaw);
    }
    round = findShortest(edges, wallets);
  }
  const backRaw = sentRaw - sumOfSteps(wallets, edges);
  const isMost = backRaw * PARTS >= sentRaw * MAJORITY_PARTS;
  return { returned, wallets: through, isMost, isAll: round === null };
};

const sumOfSteps = (wallets: readonly Address[], edges: Edges): bigint =>
  wallets.flatMap((wallet) => [...(edges.get(wallet)?.values() ?? [])]).reduce((sum, raw) => sum + raw, 0n);

const findShortest = (edges: Edges, wallets: readonly Address[]): readonly Step[] | null => {
  const [shortest] = wallets
    .flatMap((wallet) => {
      const round = findRound(edges, wallet);
      return round === null ? [] : [round];
    })
    .sort((a, b) => a.length - b.length);
  return shortest ?? null;
};

const addTo = (edges: Edges, from: Address, to: Address, amountRaw: bigint): void => {
  const onward = edges.get(from) ?? new Map<Address, bigint>();
  const sumRaw = (onward.get(to) ?? 0n) + amountRaw;
  if (sumRaw === 0n) onward.delete(to);
  else onward.set(to, sumRaw);
  edges.set(from, onward);
};

/** The shortest way from the wallet back to it, payment by payment; null where there is none. */
const findRound = (edges: Edges, wallet: Address): readonly Step[] | null => {
  const before = new Map<Address, Address>();
  const queue = [wallet];
  for (const from of queue) {
    // The order of rows within a transaction proves nothing.
    for (const to of [...(edges.get(from)?.keys() ?? [])].sort()) {
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
