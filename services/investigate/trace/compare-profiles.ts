import type { Address } from '../model/address.ts';
import { bothSides, type Neighbour } from '../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import { type Ask, askInChunks } from './ask.ts';
import { lookBehindRouters } from './look-behind-routers.ts';
import { PROFILES_MAX } from './rules.ts';
import type { Acquaintances, FoundEvidence, Suspects } from './suspects.ts';

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
 */
export const compareProfiles = async (
  suspects: Suspects,
  acquaintances: Acquaintances,
  ask: Ask,
): Promise<(readonly [Address, FoundEvidence])[]> => {
  const { reader, limits, families } = ask;
  const isForward = suspects.direction === 'forward';
  const routers = { side: 'out', routers: suspects.routers, entity: suspects.middle.entity } as const;
  // Only deposits pass through routers: a recipient is paid by the pool itself.
  const own = isForward
    ? await lookBehindRouters(acquaintances.of, routers, ask)
    : { neighbours: acquaintances.of, pools: [] };
  const pools = new Set([...acquaintances.ownPools, ...own.pools]);
  const mine = toProfile(own.neighbours, isForward ? 'out' : 'in', pools);
  if (mine.size < 2) return [];
  const wallets = [...suspects.byWallet.keys()].slice(0, PROFILES_MAX);
  const around = await askInChunks(wallets, (chunk) =>
    reader.neighbours({
      ...limits,
      families,
      sides: bothSides(chunk),
      perSideMax: PROFILE_ACQUAINTANCES_MAX,
    }),
  );
  const behind = isForward ? around : (await lookBehindRouters(around, routers, ask)).neighbours;
  const theirs = Map.groupBy(behind, ({ wallet }) => wallet);
  return [...theirs].flatMap(([wallet, neighbours]) => {
    const profile = toProfile(neighbours, isForward ? 'in' : 'out', pools);
    const evidence = isForward ? compare(mine, profile) : compare(profile, mine);
    return evidence === null ? [] : [[wallet, evidence] as const];
  });
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

/** A pool is common to both only where a note could come out of it: the first withdrawal is after the first deposit. */
const compare = (deposits: Profile, withdrawals: Profile): FoundEvidence | null => {
  const common = [...deposits].flatMap(([pool, paidIn]) => {
    const paidOut = withdrawals.get(pool);
    const couldBe = paidOut !== undefined && compareTransactions(paidIn.first, paidOut.first) < 0;
    return couldBe ? [{ paidIn, paidOut }] : [];
  });
  if (common.length < 2) return null;
  const proofs = common.flatMap(({ paidIn, paidOut }) => [paidIn.first, paidOut.first]);
  const notes = common.reduce((sum, { paidIn }) => sum + paidIn.transfers, 0);
  const samePools = common.length === deposits.size && common.length === withdrawals.size;
  if (samePools && common.every(({ paidIn, paidOut }) => paidIn.transfers === paidOut.transfers)) {
    const isTelling = common.length >= TELLING_POOLS || notes >= TELLING_NOTES;
    const detail = `Both passed the same number of notes through each of ${common.length} pools, ${notes} in all.`;
    return { family: 'equal_counts', grade: isTelling ? 'strong' : 'plain', detail, proofs };
  }
  const detail = `Both used ${common.length} pools of the mixer.`;
  const grade = samePools && common.length >= TELLING_POOLS ? 'strong' : 'plain';
  return { family: 'multi_pool', grade, detail, proofs };
};
