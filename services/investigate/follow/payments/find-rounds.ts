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
import { compareOnTrail } from './outgoing.ts';
import { flowSides, readFlows } from './read-flows.ts';
import { paymentKey, type Returned } from './without-returned.ts';

/** Where a round was found, the first of several. */
export type RoundPlace = { readonly wallet: Address; readonly from: TransactionPosition };

export type Rounds = {
  readonly returned: Returned;
  /** Through whom they went. */
  readonly wallets: ReadonlySet<Address>;
};

const NO_ROUNDS: Rounds = { returned: new Map(), wallets: new Set() };

/**
 * From there on the transactions of a wallet in which most of what it sent off went all the way round: three questions for a
 * thousand of them, each of which would cost a walk. None where they cannot be read.
 */
export const findRounds = async (journey: Journey, place: RoundPlace): Promise<Rounds> => {
  const { request, asset, read } = journey;
  const { chain, backward } = request;
  const isOfMoney = ({ from, to, family }: TransactionRow): boolean =>
    family === asset.family && from !== chain.wrappedNative && to !== chain.wrappedNative;
  try {
    const { rows } = await readTransactions(chain, await findBothWays(journey, place), read);
    const found = [...rows.values()].map((of) =>
      takeRounds(of.filter(isOfMoney), { wallet: place.wallet, backward }),
    );
    return {
      returned: new Map(found.flatMap(({ returned }) => [...returned])),
      wallets: new Set(found.flatMap(({ wallets }) => [...wallets])),
    };
  } catch (error) {
    if (isLeftOut(error)) return NO_ROUNDS;
    throw error;
  }
};

/**
 * Transactions of a page in which the wallet both paid and was paid, in the trail's order; those before all that was read of its
 * receipts may be such: anybody can fill a page with crumbs.
 */
const findBothWays = async (
  journey: Journey,
  { wallet, from }: RoundPlace,
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
  return [...new Map(both.map((row) => [transactionKey(row), row])).values()].slice(0, ROUNDS_MAX);
};

type Way = { readonly wallet: Address; readonly backward: boolean };

/** By whom and to whom on the trail's way. */
type Edges = Map<Address, Map<Address, bigint>>;

const takeRounds = (rows: readonly TransactionRow[], { wallet, backward }: Way): Rounds => {
  const edges: Edges = new Map();
  const returned = new Map<string, bigint>();
  const wallets = new Set<Address>();
  const [at] = rows;
  if (at === undefined) return NO_ROUNDS;
  for (const { from, to, amountRaw } of rows) {
    if (backward) addTo(edges, to, from, amountRaw);
    else addTo(edges, from, to, amountRaw);
  }
  const sentRaw = [...(edges.get(wallet)?.values() ?? [])].reduce((sum, raw) => sum + raw, 0n);
  let backRaw = 0n;
  for (let rounds = 0; rounds < ROUNDS_OF_ONE_MAX; rounds += 1) {
    const round = findRound(edges, wallet);
    if (round === null) break;
    const amountRaw = round.map(([from, to]) => edges.get(from)?.get(to) ?? 0n).reduce(least);
    for (const [from, to] of round) {
      addTo(edges, from, to, -amountRaw);
      wallets.add(from);
      addRaw(returned, paymentKey(at, from, to), amountRaw);
    }
    backRaw += amountRaw;
  }
  // Of what is less a refund is the most: those are not netted.
  return backRaw * PARTS >= sentRaw * MAJORITY_PARTS ? { returned, wallets } : NO_ROUNDS;
};

const addTo = (edges: Edges, from: Address, to: Address, amountRaw: bigint): void => {
  const onward = edges.get(from) ?? new Map<Address, bigint>();
  const sumRaw = (onward.get(to) ?? 0n) + amountRaw;
  if (sumRaw === 0n) onward.delete(to);
  else onward.set(to, sumRaw);
  edges.set(from, onward);
};

/** The shortest way from the wallet back to it, payment by payment; null where there is none. */
const findRound = (edges: Edges, wallet: Address): (readonly [from: Address, to: Address])[] | null => {
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

const wayBack = (before: ReadonlyMap<Address, Address>, wallet: Address): [Address, Address][] => {
  const way: [Address, Address][] = [];
  let to = wallet;
  do {
    const from = before.get(to) ?? wallet;
    way.push([from, to]);
    to = from;
  } while (to !== wallet);
  return way;
};
