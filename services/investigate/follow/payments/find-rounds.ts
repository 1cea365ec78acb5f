import type { Address } from '../../model/address.ts';
import { addRaw } from '../../model/amount.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { isLeftOut } from '../follow-reader.ts';
import type { Journey } from '../journey.ts';
import { readTransactions } from '../read-transactions.ts';
import { NEXT_PAGE_ROWS, ROUNDS_MAX } from '../rules.ts';
import { startOf } from './gather-outgoing.ts';
import { type Arrival, compareOnTrail } from './outgoing.ts';
import { flowSides, readFlows } from './read-flows.ts';
import { type Step, type TakenRounds, takeRounds } from './take-rounds.ts';
import { joinReturned, paymentKey, type Returned } from './without-returned.ts';

/** Money that a trail walked back to a wallet, within one transaction each. */
export type WalkedRound = {
  readonly wallet: Address;
  /** Where that was, the first of several. */
  readonly from: TransactionPosition;
  readonly ways: readonly WalkedWay[];
};

export type WalkedWay = {
  readonly steps: readonly Step[];
  /** How much went all that way, by transaction. */
  readonly carried: readonly Arrival[];
};

/** `returned` with what was known before. */
export type Rounds = Pick<TakenRounds, 'returned' | 'wallets'>;

/**
 * What went round in the transactions in which a round was walked, and from there on in those of its wallet in which most of what
 * it sent off did: three questions for a thousand of them, each of which would cost a walk. What was walked where they cannot be
 * read, or say no more than was known: always more than before, so that nothing is walked for ever.
 */
export const findRounds = async (journey: Journey, walked: WalkedRound): Promise<Rounds> => {
  const before = journey.returned;
  const found = await readRounds(journey, walked);
  const told = new Set(found.flatMap(({ key, isAll }) => (isAll ? [key] : [])));
  const read = joinReturned(before, new Map(found.flatMap((rounds) => [...rounds.returned])));
  const isMore = [...read].some(([key, raw]) => raw > (before.get(key) ?? 0n));
  const ways = addWalked(before, walked, (at) => !isMore || !told.has(transactionKey(at)));
  return {
    returned: joinReturned(read, ways),
    wallets: new Set(found.flatMap((rounds) => [...rounds.wallets])),
  };
};

const addWalked = (
  before: Returned,
  { ways }: WalkedRound,
  counts: (at: TransactionPosition) => boolean,
): Returned => {
  const returned = new Map(before);
  for (const { steps, carried } of ways)
    for (const at of carried.filter(counts))
      for (const [from, to] of steps) addRaw(returned, paymentKey(at, from, to), at.amountRaw);
  return returned;
};

type RoundsAt = TakenRounds & { readonly key: string };

const readRounds = async (journey: Journey, walked: WalkedRound): Promise<readonly RoundsAt[]> => {
  const { request, asset, read } = journey;
  const { chain, backward } = request;
  const isOfMoney = ({ from, to, canonicalAsset }: TransactionRow): boolean =>
    canonicalAsset === asset.canonicalAsset && from !== chain.wrappedNative && to !== chain.wrappedNative;
  const walkedAt = Map.groupBy(
    walked.ways.flatMap(({ steps, carried }) =>
      carried.flatMap((at) => steps.map(([wallet]) => ({ at, wallet }))),
    ),
    ({ at }) => transactionKey(at),
  );
  try {
    const sure = walked.ways.flatMap(({ carried }) => carried);
    const positions = [...sure, ...(await findBothWays(journey, walked))].slice(0, ROUNDS_MAX);
    const { rows } = await readTransactions(chain, positions, read);
    return [...rows].flatMap(([key, of]) => {
      const [at] = of;
      if (at === undefined) return [];
      const met = walkedAt.get(key);
      const wallets = [...new Set([walked.wallet, ...(met?.map(({ wallet }) => wallet) ?? [])])];
      const rounds = takeRounds(of.filter(isOfMoney), { at, wallets, backward });
      // Of what is less a refund is the most: those are not netted, but where the trail itself was led round by them.
      return rounds.isMost || met !== undefined ? [{ ...rounds, key }] : [];
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
