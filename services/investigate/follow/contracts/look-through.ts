import type { Address } from '../../model/address.ts';
import { addRaw, largestFirst } from '../../model/amount.ts';
import { isService, type Label } from '../../model/label.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { isMain } from '../decide-step.ts';
import type { Sums } from '../end-trail.ts';
import { type Journey, readLabels, type Stand } from '../journey.ts';
import { toBranches, type UnnamedBranch } from '../name-branches.ts';
import {
  type Destination,
  groupDestinations,
  type WalletDestination,
} from '../payments/group-destinations.ts';
import type { Outgoing } from '../payments/outgoing.ts';
import { mayLogFalsely } from '../payments/take-outgoing.ts';
import { paymentKey } from '../payments/without-returned.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { MOVED_ON_MIN_PARTS, PARTS, PASSED_MAX, WAYS_MAX } from '../rules.ts';
import type { FollowRequest, Passed } from '../trail.ts';
import { createTellPayout, type Passing, type Payout, type TellPayout } from './tell-payout.ts';

/** Who got most of what left a wallet, some of it through contracts that paid it out at once. */
export type Joined = {
  readonly to: WalletDestination;
  readonly through: readonly Passed[];
  /** What else left the wallet. */
  readonly others: readonly Destination[];
  /** What else those contracts paid out. */
  readonly besides: readonly UnnamedBranch[];
};

type Left = Sums &
  Stand & {
    readonly outgoing: readonly Outgoing[];
    /** Wallets on the trail. */
    readonly visited: ReadonlySet<Address>;
  };

/**
 * Where nobody got a majority of what left a wallet: who did with what went to him through contracts that paid out within
 * the same transactions; null where that is nobody either. One question about the transactions, and one about labels where
 * there is somebody. Throws as the journey's reads do.
 */
export const lookThrough = async (journey: Journey, left: Left): Promise<Joined | null> => {
  const { request, asset, read } = journey;
  const { chain, backward } = request;
  // Tokens that may log falsely are not followed out of contracts.
  if (!mayJoin(left) || mayLogFalsely(chain, asset.family)) return null;
  const payments = left.outgoing.filter(({ type }) => type === 'transfer').toSorted(largestFirst);
  const lookedAt = new Set(payments.slice(0, WAYS_MAX));
  const { rows } = await readTransactions(chain, [...lookedAt], read);
  const found = await findWays(journey, left, { lookedAt, rows });
  if (found === null) return null;
  const { ways, to, labels } = found;
  const isTaken = ({ reached }: Way): boolean => reached.type === 'transfer' && reached.to === to.address;
  const taken = ways.filter(isTaken);
  const rest = ways.flatMap((way) => (isTaken(way) ? [] : [way.payment]));
  const through = [...new Set(taken.flatMap(throughOf))];
  return {
    to,
    through: through.map((address) => ({ address, label: labels.get(address) ?? null })),
    others: groupDestinations(rest, backward),
    besides: besidesOf(taken, request),
  };
};

type LookedAt = Pick<ReadTransactions, 'rows'> & { readonly lookedAt: ReadonlySet<Outgoing> };
type Ways = {
  readonly ways: readonly Way[];
  readonly to: WalletDestination;
  readonly labels: ReadonlyMap<Address, Label>;
};

/**
 * Ways end at services: what is paid to them is theirs, and what they pay others is no part of it. Who is one is known only when
 * somebody was met: then ways are found once more. null where nobody got most.
 */
const findWays = async (journey: Journey, left: Left, { lookedAt, rows }: LookedAt): Promise<Ways | null> => {
  const { request, asset, returned } = journey;
  const { chain, backward } = request;
  const asked = { chain, family: asset.family, backward };
  const behind = { visited: left.visited, places: new Set(left.arrivals?.map(transactionKey)) };
  const labels = new Map<Address, Label>();
  const met = new Set<Address>();
  for (;;) {
    const tell = createTellPayout(rows, asked);
    const walking = { wallet: left.wallet, ...behind, tell, labels, returned: new Map(returned) };
    const ways = left.outgoing.map((payment) =>
      lookedAt.has(payment) ? findWay(payment, walking) : toDirect(payment),
    );
    const to = toMain(ways, left, backward);
    if (to === null) return null;
    const fresh = [...new Set(ways.flatMap(throughOf))].filter((address) => !met.has(address));
    const named = fresh.length === 0 ? new Map<Address, Label>() : await readLabels(journey, fresh);
    if (![...named.values()].some(isService)) return { ways, to, labels: new Map([...labels, ...named]) };
    for (const address of fresh) met.add(address);
    for (const [address, label] of named) labels.set(address, label);
  }
};

/** Several got enough of it, but none most. */
const mayJoin = ({ arrivedRaw, leftRaw, destinations }: Sums): boolean =>
  destinations.length > 1 &&
  leftRaw * PARTS >= arrivedRaw * MOVED_ON_MIN_PARTS &&
  !destinations.some((destination) => isMain(destination, leftRaw));

/** A payment, and the one that it comes to with those to whom contracts passed it on; mostly itself. */
type Way = { readonly payment: Outgoing; readonly reached: Outgoing; readonly passed: readonly Passing[] };

const toDirect = (payment: Outgoing): Way => ({ payment, reached: payment, passed: [] });

const throughOf = ({ passed }: Way): Address[] => passed.map(({ payout }) => payout.payer);

type Walking = Pick<Left, 'wallet' | 'visited'> & {
  /** Of whom was met so far. */
  readonly labels: ReadonlyMap<Address, Label>;
  /** Transactions that brought the money. */
  readonly places: ReadonlySet<string>;
  readonly tell: TellPayout;
  /** As much as is not taken off a way yet. */
  readonly returned: Map<string, bigint>;
};

/** What went round is where it was sent: it never left, or is told as a loop. Those who brought it pay nobody else with it. */
const findWay = (payment: Outgoing, { wallet, visited, places, tell, labels, returned }: Walking): Way => {
  if (payment.type === 'swap') return toDirect(payment);
  const passed: Passing[] = [];
  const met = new Set([wallet]);
  const isBroughtHere = places.has(transactionKey(payment));
  let { to, amountRaw } = payment;
  for (;;) {
    if (met.has(to) || passed.length > PASSED_MAX) return toDirect(payment);
    met.add(to);
    if ((isBroughtHere && visited.has(to)) || isService(labels.get(to))) break;
    const passing = tell({ at: payment, payer: to, amountRaw });
    if (passing === null) break;
    passed.push(passing);
    amountRaw = passing.passedRaw;
    to = passing.payout.to;
  }
  if (passed.length === 0) return toDirect(payment);
  const key = paymentKey(payment, wallet, to);
  const backRaw = returned.get(key) ?? 0n;
  if (backRaw > 0n) returned.set(key, backRaw > amountRaw ? backRaw - amountRaw : 0n);
  if (backRaw >= amountRaw) return toDirect(payment);
  return { payment, reached: { ...payment, to, amountRaw: amountRaw - backRaw }, passed };
};

const toMain = (
  ways: readonly Way[],
  { leftRaw }: Pick<Left, 'leftRaw'>,
  backward: boolean,
): WalletDestination | null => {
  const [largest] = groupDestinations(
    ways.map(({ reached }) => reached),
    backward,
  );
  return largest?.type === 'wallet' && isMain(largest, leftRaw) ? largest : null;
};

/** Of what contracts paid others the same part as of what they passed on: what was brought beside is not of the money. */
const besidesOf = (
  ways: readonly Way[],
  { chain, backward }: Pick<FollowRequest, 'chain' | 'backward'>,
): readonly UnnamedBranch[] => {
  const broughtRaw = new Map<Payout, bigint>();
  for (const { payout, broughtRaw: raw } of ways.flatMap(({ passed }) => passed))
    addRaw(broughtRaw, payout, raw);
  return [...Map.groupBy(broughtRaw, ([{ payer }]) => payer)].flatMap(([payer, payouts]) => {
    const besides = payouts.flatMap(([{ besides, ofRaw }, raw]) =>
      besides.map((paid) => ({ ...paid, amountRaw: (paid.amountRaw * raw) / ofRaw })),
    );
    const counted = besides.filter(({ amountRaw }) => amountRaw > 0n);
    return toBranches(chain, payer, groupDestinations(counted, backward));
  });
};
