import type { Address } from '../../model/address.ts';
import { addRaw, largestFirst, sumOf } from '../../model/amount.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import { isService, type Label } from '../../model/label.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { Direction } from '../direction.ts';
import { type FollowContext, type FollowedWallet, readLabels } from '../follow-context.ts';
import { toBranches, type UnnamedBranch } from '../name-branches.ts';
import {
  type Destination,
  groupDestinations,
  isMain,
  type WalletDestination,
} from '../payments/group-destinations.ts';
import type { Outflow } from '../payments/inflow.ts';
import { readTransactions } from '../read-transactions.ts';
import { WAYS_MAX } from '../rules.ts';
import type { Passed as Contract } from '../trail.ts';
import {
  contractsOf,
  createTellPayout,
  findInnerPath,
  type InnerPath,
  type PaidBy,
  type Payout,
  toDirect,
} from './find-inner-path.ts';
import { findRefunds } from './find-refunds.ts';
import { paymentKey, type Refunded, withoutRefunds } from './refunds.ts';

/** Who got most of what left a wallet, some of it through contracts that paid it out at once. */
export type Resolved = {
  readonly to: WalletDestination;
  readonly through: readonly Contract[];
  /** What else left the wallet. */
  readonly others: readonly Destination[];
  /** Other payouts of those contracts. */
  readonly otherPayouts: readonly UnnamedBranch[];
};

export type Left = FollowedWallet & {
  readonly outflows: readonly Outflow[];
  /** Wallets on the trail. */
  readonly visited: ReadonlySet<Address>;
  readonly cyclic: ReadonlySet<string>;
};

/**
 * Who got most when each payment is followed to its final recipient within its transaction. `contract` is the direct recipient of most,
 * which paid out within these transactions, or null without a direct majority. Returns null if nobody got most. Else as `resolveEach`.
 */
export const resolvePayments = async (
  context: FollowContext,
  left: Left & { readonly contract: Address | null },
): Promise<Resolved | Refunded | null> => {
  const { direction } = context;
  const { chain } = context.request;
  const mainOf = (paths: readonly InnerPath[]): Address | null => toMain(paths, left.contract, direction);
  const found = await resolveEach(context, left, (paths) => mainOf(paths) !== null);
  if (found === null || 'refunded' in found) return found;
  const to = mainOf(found.paths);
  if (to === null) return null;
  const { paths, labels } = found;
  const isTaken = ({ reached }: InnerPath): boolean => reached.type === 'transfer' && reached.to === to;
  const taken = paths.filter(isTaken);
  const through = new Set(taken.flatMap(contractsOf));
  // The contracts are on the trail now, so what else went through them left them.
  const isToldOf = (path: InnerPath): boolean => contractsOf(path).some((payer) => through.has(payer));
  const beside = paths
    .filter((path) => !isTaken(path) && isToldOf(path))
    .map((path) => untilLeft(path, through));
  const rest = paths.flatMap((path) => (isTaken(path) || isToldOf(path) ? [] : [path.payment]));
  const otherPayouts = [...otherPayoutsOf([...taken, ...beside]), ...beside.flatMap(toLast)].sort(
    direction.compare,
  );
  const direct = otherPayouts.filter((paid) => paid.to === to);
  const reached = [...taken.map((path) => path.reached), ...direct].sort(direction.compare);
  const [main] = groupDestinations(reached, direction);
  if (main?.type !== 'wallet') return null;
  const contracts = new Set([...through, ...direct.map(({ payer }) => payer)]);
  const byPayer = Map.groupBy(otherPayouts, ({ payer }) => payer);
  return {
    to: main,
    through: [...contracts].map((address) => ({ address, label: labels.get(address) ?? null })),
    others: groupDestinations(rest, direction),
    otherPayouts: [...byPayer].flatMap(([payer, paid]) => {
      const others = paid.filter((one) => one.to !== to);
      return toBranches(chain, payer, groupDestinations(others, direction));
    }),
  };
};

type Passed = Pick<InnerPath, 'passed' | 'payment'>;

/** The part of a path within the contracts of the hop. */
const untilLeft = ({ payment, passed }: InnerPath, through: ReadonlySet<Address>): Passed => {
  const leaves = passed.findIndex(({ payout }) => through.has(payout.payer) && !through.has(payout.to));
  return { payment, passed: passed.slice(0, leaves + 1) };
};

const toLast = ({ payment, passed }: Passed): readonly PaidBy[] => {
  const last = passed.at(-1);
  if (last === undefined || payment.type !== 'transfer') return [];
  const { payout, passedRaw } = last;
  return [{ ...payment, amountRaw: passedRaw, payer: payout.payer, to: payout.to }];
};

/** The paths of payments, in their order, with the labels of the contracts on them. */
export type InnerPaths = {
  readonly paths: readonly InnerPath[];
  readonly labels: ReadonlyMap<Address, Label>;
};

/**
 * Follows each payment to its final recipient within its transaction. `refunded`: part of it came back there, so the wallet must be
 * decided again without that part. null: payments of this asset are not resolved, or none went through a contract. Reads the
 * transactions once, and labels whenever it meets new contracts. Throws as the context's reads do.
 */
export const resolveEach = async (
  context: FollowContext,
  left: Left,
  isOfUse: (paths: readonly InnerPath[]) => boolean = () => true,
): Promise<InnerPaths | Refunded | null> => {
  const { request, direction, asset, reads, refunds } = context;
  const { chain } = request;
  // Tokens that may log falsely are not followed out of contracts.
  if (isUnverifiedToken(chain, asset.canonicalAsset)) return null;
  const payments = left.outflows.filter(({ type }) => type === 'transfer').toSorted(largestFirst);
  const largest = payments.slice(0, WAYS_MAX);
  const { rows } = await readTransactions(chain, largest, reads);
  const arrivalKeys = new Set(left.stake.lots.map(transactionKey));
  const inOrder = largest.toSorted(direction.compare);
  const refunded = await findRefunds(context, { ...left, payments: inOrder, arrivalKeys }, rows);
  if (refunded !== null) return refunded;
  const net = new Map([...rows].map(([key, of]) => [key, withoutRefunds(of, refunds, direction)] as const));
  const lookedAt = new Set(largest);
  return untilServices(context, isOfUse, (labels) => {
    const walking = { ...left, arrivalKeys, labels, tell: createTellPayout(context, net, largest) };
    return left.outflows.map((payment) =>
      lookedAt.has(payment) ? findInnerPath(payment, walking) : toDirect(payment),
    );
  });
};

type FindPaths = (labels: ReadonlyMap<Address, Label>) => readonly InnerPath[];

/**
 * Paths end at services: what is paid to them is theirs, and what they pay others is no part of it. Labels are read only of contracts
 * on a path. Where one of them is a service, all paths are found once more.
 */
const untilServices = async (
  context: FollowContext,
  isOfUse: (paths: readonly InnerPath[]) => boolean,
  findPaths: FindPaths,
): Promise<InnerPaths | null> => {
  const labels = new Map<Address, Label>();
  const met = new Set<Address>();
  for (;;) {
    const paths = findPaths(labels);
    if (!isOfUse(paths)) return null;
    const fresh = [...new Set(paths.flatMap(contractsOf))].filter((address) => !met.has(address));
    const named = fresh.length === 0 ? new Map<Address, Label>() : await readLabels(context, fresh);
    if (![...named.values()].some(isService)) return { paths, labels: new Map([...labels, ...named]) };
    for (const address of fresh) met.add(address);
    for (const [address, label] of named) labels.set(address, label);
  }
};

/** Who got most of all that left, or of what was paid to `contract`. */
const toMain = (
  all: readonly InnerPath[],
  contract: Address | null,
  direction: Direction,
): Address | null => {
  const paths = all.filter(
    ({ payment }) => contract === null || (payment.type === 'transfer' && payment.to === contract),
  );
  const reached = paths.map((path) => path.reached);
  const [largest] = groupDestinations(reached, direction);
  const leftRaw = sumOf(paths.map(({ payment }) => payment));
  if (largest?.type !== 'wallet' || largest.address === contract || !isMain(largest, leftRaw)) return null;
  return largest.address;
};

/**
 * What the contracts of these paths paid to others. Of each payout the same share counts as the followed money has of the contract's; the
 * rest is others' money. Recipients that a path names are left out.
 */
const otherPayoutsOf = (paths: readonly Passed[]): readonly PaidBy[] => {
  const broughtRaw = new Map<Payout, bigint>();
  const told = new Set<string>();
  for (const { payment, passed } of paths)
    for (const { payout, broughtRaw: raw } of passed) {
      addRaw(broughtRaw, payout, raw);
      told.add(paymentKey(payment, payout.payer, payout.to));
    }
  return [...broughtRaw]
    .flatMap(([{ payer, otherPayouts, ofRaw }, raw]) =>
      otherPayouts.map((paid) => ({ ...paid, payer, amountRaw: (paid.amountRaw * raw) / ofRaw })),
    )
    .filter((paid) => paid.amountRaw > 0n && !told.has(paymentKey(paid, paid.payer, paid.to)));
};
