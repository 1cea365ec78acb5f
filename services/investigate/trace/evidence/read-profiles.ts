import type { Address } from '../../model/address.ts';
import { type Direction, type Neighbour, opposite } from '../../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../../model/transfer-reader.ts';
import type { CandidateSet, Counterparties } from '../candidate-set.ts';
import { lookBehindRouters } from '../matches/look-behind-routers.ts';
import { sampleRouters } from '../matches/sample-routers.ts';
import type { QueryContext } from '../query-context.ts';

type Use = { readonly transfers: number; readonly first: TransactionPosition };
type Profile = ReadonlyMap<Address, Use>;

const PROFILE_COUNTERPARTIES_MAX = 100;
/** Filled in for wallets that turn out to have used the same pools. */
const ALL_COUNTERPARTIES_MAX = 1_000;

/** `pools`: all that the traced wallet used. `routers`: those of the mixer that are known so far. */
type Own = {
  readonly profile: Profile;
  readonly pools: ReadonlySet<Address>;
  readonly routers: ReadonlySet<Address>;
  readonly complete: boolean;
};

/** For a wallet that used two pools, routers that brought none of the matches are examined, too. */
export const readOwnProfile = async (
  candidateSet: CandidateSet,
  { of, ownPools }: Counterparties,
  context: QueryContext,
): Promise<Own> => {
  const { routers: known, intermediary, direction: side } = candidateSet;
  const own = await toOwn(candidateSet, { of, ownPools, routers: known }, context);
  if (own.profile.size < 2) return own;
  const more = await sampleRouters(of, { entity: intermediary.entity, side, known }, context);
  return more.size === 0 ? own : toOwn(candidateSet, { of, ownPools, routers: known.union(more) }, context);
};

type Using = Pick<Counterparties, 'of' | 'ownPools'> & Pick<Own, 'routers'>;

const toOwn = async (
  candidateSet: CandidateSet,
  { of, ownPools, routers }: Using,
  context: QueryContext,
): Promise<Own> => {
  const { direction: side, intermediary } = candidateSet;
  const behind = await lookBehindRouters(of, { side, routers, entity: intermediary.entity }, context);
  const pools = ownPools.union(behind.pools);
  return { profile: toProfile(behind.neighbours, side, pools), pools, routers, complete: behind.complete };
};

type Comparing = { readonly candidateSet: CandidateSet; readonly own: Own };

/**
 * A candidate that used two of the traced wallet's pools. `besides`: its other counterparties. `isCut`: not
 * all of them were read.
 */
export type Other = {
  readonly wallet: Address;
  readonly shared: Shared;
  readonly besides: readonly Address[];
  readonly isCut: boolean;
};

/** `complete` is false when more passed through routers than is examined. */
type Others = { readonly others: readonly Other[]; readonly complete: boolean };

/** The candidates that used two of the traced wallet's pools. */
export const readOtherProfiles = async (
  wallets: readonly Address[],
  comparing: Comparing,
  context: QueryContext,
): Promise<Others> => {
  const read = await readSome(wallets, PROFILE_COUNTERPARTIES_MAX, comparing, context);
  const all = await readOn(read.others, comparing, context);
  return { ...all, complete: all.complete && read.complete };
};

const readSome = async (
  wallets: readonly Address[],
  perSideMax: number,
  { candidateSet, own }: Comparing,
  context: QueryContext,
): Promise<Others> => {
  const side = opposite(candidateSet.direction);
  const sides = wallets.map((wallet) => ({ wallet, direction: side }));
  const { reads, onChain, canonicalAssets, leastRaw } = context;
  // One busy wallet can be read on from its beginning; many would take too long.
  const fromBeginning = wallets.length === 1 && perSideMax > PROFILE_COUNTERPARTIES_MAX;
  const asked = { ...onChain, canonicalAssets, leastRaw, perSideMax, fromBeginning };
  const around = (await reads.neighbours(asked, sides)).flat();
  const { entity } = candidateSet.intermediary;
  const known = own.routers.union(own.pools);
  const routers = own.routers.union(await sampleRouters(around, { entity, side, known }, context));
  const behind = await lookBehindRouters(around, { side, routers, entity }, context);
  const told = Map.groupBy(around, ({ wallet }) => wallet);
  const others = [...Map.groupBy(behind.neighbours, ({ wallet }) => wallet)].flatMap(
    ([wallet, neighbours]): Other[] => {
      const profile = toProfile(neighbours, side, own.pools);
      const shared = side === 'in' ? compare(own.profile, profile) : compare(profile, own.profile);
      const isCut = (told.get(wallet)?.length ?? 0) >= perSideMax;
      const besides = besidesOf(neighbours, side, own.pools);
      return shared === null ? [] : [{ wallet, shared, besides, isCut }];
    },
  );
  return { others, complete: behind.complete };
};

/** Reads more counterparties of wallets with more than one page: the next may be another pool. */
const readOn = async (
  others: readonly Other[],
  comparing: Comparing,
  context: QueryContext,
): Promise<Others> => {
  const cut = others.filter(({ isCut }) => isCut).map(({ wallet }) => wallet);
  if (cut.length === 0) return { others, complete: true };
  const again = await readSome(cut, ALL_COUNTERPARTIES_MAX, comparing, context);
  return {
    others: [...others.filter(({ isCut }) => !isCut), ...again.others],
    complete: again.complete,
  };
};

/** A wallet's counterparties other than the pools that the traced wallet used. */
const besidesOf = (
  neighbours: readonly Neighbour[],
  side: Direction,
  pools: ReadonlySet<Address>,
): readonly Address[] =>
  neighbours
    .filter(({ direction, counterparty }) => direction === side && !pools.has(counterparty))
    .map(({ counterparty }) => counterparty);

const toProfile = (neighbours: readonly Neighbour[], side: Direction, pools: ReadonlySet<Address>): Profile =>
  new Map(
    neighbours
      .filter(({ direction, counterparty }) => direction === side && pools.has(counterparty))
      .map(({ counterparty, transfers, first }) => [counterparty, { transfers, first }]),
  );

export type Shared = {
  /** Pools that both used. */
  readonly pools: number;
  /** Notes that the deposits brought into them. */
  readonly notes: number;
  /** Neither used another one of the traced wallet's pools. */
  readonly isSame: boolean;
  /** As many notes were withdrawn from each as were deposited. */
  readonly isEqual: boolean;
  readonly proofs: readonly TransactionPosition[];
};

/**
 * Both used a pool only if a note could have moved between them: the first withdrawal is after the first
 * deposit.
 */
const compare = (deposits: Profile, withdrawals: Profile): Shared | null => {
  const common = [...deposits].flatMap(([pool, paidIn]) => {
    const paidOut = withdrawals.get(pool);
    const couldBe = paidOut !== undefined && compareTransactions(paidIn.first, paidOut.first) < 0;
    return couldBe ? [{ paidIn, paidOut }] : [];
  });
  if (common.length < 2) return null;
  return {
    pools: common.length,
    notes: common.reduce((sum, { paidIn }) => sum + paidIn.transfers, 0),
    isSame: common.length === deposits.size && common.length === withdrawals.size,
    isEqual: common.every(({ paidIn, paidOut }) => paidIn.transfers === paidOut.transfers),
    proofs: common.flatMap(({ paidIn, paidOut }) => [paidIn.first, paidOut.first]),
  };
};
