import type { Address } from '../model/address.ts';
import { bothSides, type Neighbour } from '../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import { type Ask, askInChunks } from './ask.ts';
import { lookBehindRouters } from './look-behind-routers.ts';
import { PROFILES_MAX } from './rules.ts';
import type { Acquaintances, EvidenceFound, FoundEvidence, Suspects } from './suspects.ts';

type Use = { readonly transfers: number; readonly first: TransactionPosition };
type Profile = ReadonlyMap<Address, Use>;

const PROFILE_ACQUAINTANCES_MAX = 100;
/** Pools, or notes in all, from which a profile is hardly anybody else's. */
const TELLING_POOLS = 3;
const TELLING_NOTES = 6;

/**
 * Compares how many notes the traced wallet and each candidate passed through each pool of the mixer. Equal counts over
 * several pools, and the same choice of pools, are the "multi-denomination" reveals of Wu et al. (Tutela, heuristic 4) and
 * of LambdaClass' tornado_cash_anonymity_tool. Only a wallet that used two pools or more can be compared.
 * Of the candidates only so many are, the nearest in time.
 */
export const compareProfiles = async (
  suspects: Suspects,
  acquaintances: Acquaintances,
  ask: Ask,
): Promise<EvidenceFound> => {
  const { reader, limits, families } = ask;
  const isForward = suspects.direction === 'forward';
  const routers = { side: 'out', routers: suspects.routers, entity: suspects.middle.entity } as const;
  // Only deposits pass through routers: a recipient is paid by the pool itself.
  const own = isForward
    ? await lookBehindRouters(acquaintances.of, routers, ask)
    : { neighbours: acquaintances.of, pools: [], complete: true };
  const pools = new Set([...acquaintances.ownPools, ...own.pools]);
  const mine = toProfile(own.neighbours, isForward ? 'out' : 'in', pools);
  if (mine.size < 2) return { found: [], complete: own.complete };
  const wallets = [...suspects.byWallet.keys()].slice(0, PROFILES_MAX);
  const around = await askInChunks(wallets, (chunk) =>
    reader.neighbours({
      ...limits,
      families,
      sides: bothSides(chunk),
      perSideMax: PROFILE_ACQUAINTANCES_MAX,
    }),
  );
  const behind = isForward
    ? { neighbours: around, complete: own.complete }
    : await lookBehindRouters(around, routers, ask);
  const side = isForward ? 'in' : 'out';
  const found = [...Map.groupBy(behind.neighbours, ({ wallet }) => wallet)].flatMap(
    ([wallet, neighbours]) => {
      const profile = toProfile(neighbours, side, pools);
      const shared = isForward ? compare(mine, profile) : compare(profile, mine);
      return shared === null ? [] : [{ wallet, shared, besides: besidesOf(neighbours, side, pools) }];
    },
  );
  const isPool = await findPools(
    suspects,
    found.flatMap(({ besides }) => besides),
    ask,
  );
  return {
    found: found.map(
      ({ wallet, shared, besides }) => [wallet, toEvidence(shared, besides.some(isPool))] as const,
    ),
    complete: suspects.byWallet.size <= PROFILES_MAX && behind.complete,
  };
};

/** Whom a wallet dealt with beside the pools that the traced one used. */
const besidesOf = (
  neighbours: readonly Neighbour[],
  side: 'in' | 'out',
  pools: ReadonlySet<Address>,
): readonly Address[] =>
  neighbours
    .filter(({ direction, counterparty }) => direction === side && !pools.has(counterparty))
    .map(({ counterparty }) => counterparty);

/** Who of them is a pool of the mixer, too. */
const findPools = async (
  { middle }: Suspects,
  addresses: readonly Address[],
  { reader, limits }: Ask,
): Promise<(address: Address) => boolean> => {
  const services = new Map(
    await askInChunks([...new Set(addresses)], (chunk) => reader.services({ ...limits, addresses: chunk })),
  );
  return (address) => services.get(address)?.entity === middle.entity;
};

const toProfile = (
  neighbours: readonly Neighbour[],
  side: 'in' | 'out',
  pools: ReadonlySet<Address>,
): Profile =>
  new Map(
    neighbours
      .filter(({ direction, counterparty }) => direction === side && pools.has(counterparty))
      .map(({ counterparty, transfers, first }) => [counterparty, { transfers, first }]),
  );

type Shared = {
  /** Pools that both used. */
  readonly pools: number;
  /** Notes that the deposits brought into them. */
  readonly notes: number;
  /** Neither used another pool of those that the traced wallet used. */
  readonly isSame: boolean;
  /** As many notes came out of each as went in. */
  readonly isEqual: boolean;
  readonly proofs: readonly TransactionPosition[];
};

/** A pool is common to both only where a note could come out of it: the first withdrawal is after the first deposit. */
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

/** Counts are equal over all pools of the mixer or not at all: who used it elsewhere, too, is another user of it. */
const toEvidence = ({ pools, notes, isSame, isEqual, proofs }: Shared, usedMore: boolean): FoundEvidence => {
  const samePools = isSame && !usedMore;
  if (samePools && isEqual) {
    const isTelling = pools >= TELLING_POOLS || notes >= TELLING_NOTES;
    const detail = `Both passed the same number of notes through each of ${pools} pools, ${notes} in all.`;
    return { family: 'equal_counts', grade: isTelling ? 'strong' : 'plain', detail, proofs };
  }
  const detail = `Both used ${pools} pools of the mixer.`;
  const grade = samePools && pools >= TELLING_POOLS ? 'strong' : 'plain';
  return { family: 'multi_pool', grade, detail, proofs };
};
