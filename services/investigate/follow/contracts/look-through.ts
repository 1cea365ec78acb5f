import type { Address } from '../../model/address.ts';
import { addRaw, largestFirst } from '../../model/amount.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import { isService, type Label } from '../../model/label.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import { isMain } from '../decide-step.ts';
import type { Sums } from '../end-trail.ts';
import { type Journey, readLabels, type Stand } from '../journey.ts';
import { toBranches, type UnnamedBranch } from '../name-branches.ts';
import type { WalkedRound } from '../payments/find-rounds.ts';
import {
  type Destination,
  groupDestinations,
  type WalletDestination,
} from '../payments/group-destinations.ts';
import type { Outgoing } from '../payments/outgoing.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { MOVED_ON_MIN_PARTS, PARTS, WAYS_MAX } from '../rules.ts';
import type { FollowRequest, Passed } from '../trail.ts';
import { findRound, findWay, throughOf, toDirect, type Way } from './find-way.ts';
import { createTellPayout, type Payout } from './tell-payout.ts';

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
 * the same transactions; null where that is nobody either. Before that, what came back to the wallet by such ways: it never left.
 * One question about the transactions, and one about labels each time that somebody new is met. Throws as the journey's reads do.
 */
export const lookThrough = async (journey: Journey, left: Left): Promise<Joined | WalkedRound | null> => {
  const { request, asset, read } = journey;
  const { chain, backward } = request;
  // Tokens that may log falsely are not followed out of contracts.
  if (!mayJoin(left) || isUnverifiedToken(chain, asset.canonicalAsset)) return null;
  const payments = left.outgoing.filter(({ type }) => type === 'transfer').toSorted(largestFirst);
  const lookedAt = new Set(payments.slice(0, WAYS_MAX));
  const { rows } = await readTransactions(chain, [...lookedAt], read);
  const found = await findWays(journey, left, { lookedAt, rows });
  if (found === null || 'wallet' in found) return found;
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
const findWays = async (
  journey: Journey,
  left: Left,
  { lookedAt, rows }: LookedAt,
): Promise<Ways | WalkedRound | null> => {
  const { request, asset, returned } = journey;
  const { chain, backward } = request;
  const asked = { chain, canonicalAsset: asset.canonicalAsset, backward };
  const behind = { visited: left.visited, places: new Set(left.stake.lots.map(transactionKey)) };
  const labels = new Map<Address, Label>();
  const met = new Set<Address>();
  for (;;) {
    const tell = createTellPayout(rows, asked);
    const walking = { wallet: left.wallet, ...behind, tell, labels, returned: new Map(returned) };
    const ways = left.outgoing.map((payment) =>
      lookedAt.has(payment) ? findWay(payment, walking) : toDirect(payment),
    );
    const round = findRound(ways, left.wallet, returned);
    if (round !== null) return round;
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
