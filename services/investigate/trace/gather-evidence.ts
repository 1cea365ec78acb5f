import type { Address } from '../model/address.ts';
import { type Ask, askInChunks } from './ask.ts';
import { compareProfiles } from './compare-profiles.ts';
import { findDirectTies, findSameWallet, findTiesThroughOthers } from './find-ties.ts';
import { matchAmounts } from './match-amounts.ts';
import { ACQUAINTANCES_MAX, CANDIDATES_MAX } from './rules.ts';
import type { Search } from './search.ts';
import { type Acquaintances, collect, type EvidenceByWallet, type Suspects } from './suspects.ts';

/** `firstSeen`: unix seconds, where it was learnt on the way. */
type Gathered = {
  readonly evidence: EvidenceByWallet;
  readonly firstSeen: ReadonlyMap<Address, number> | null;
};

type Known = Pick<Suspects, 'byWallet' | 'routers'> & {
  /** By wallet, transfers whose amounts say nothing. */
  readonly parts: Suspects['byWallet'];
  readonly acquaintances: Acquaintances;
};

/**
 * All that ties the traced wallet to a candidate. Starts from the traced wallet's own acquaintances, so that the work
 * does not grow with the crowd.
 */
export const gatherEvidence = async (
  search: Search,
  { acquaintances, parts, ...fits }: Known,
  ask: Ask,
): Promise<Gathered> => {
  const byWallet = parts.size === 0 ? fits.byWallet : new Map([...parts, ...fits.byWallet]);
  if (byWallet.size === 0) return { evidence: new Map(), firstSeen: null };
  const { request, middle, anchor, pool } = search;
  const { wallet, counterparty } = request;
  const suspects: Suspects = {
    wallet,
    direction: request.direction === 'out' ? 'forward' : 'backward',
    anchor: anchor.position ?? { blockTime: anchor.timeUnixSeconds, blockNumber: 0, txIndex: 0 },
    middle,
    byWallet,
    routers: pool === counterparty ? fits.routers : new Set([counterparty, ...fits.routers]),
  };
  const [through, profiles, amounts] = await Promise.all([
    findTiesThroughOthers(suspects, acquaintances, ask),
    middle.kind === 'mixer'
      ? compareProfiles({ ...suspects, byWallet: fits.byWallet }, acquaintances, ask)
      : [],
    matchAmountsAndName(search, fits.byWallet, ask),
  ]);
  const evidence = collect([
    ...findSameWallet(suspects),
    ...findDirectTies(suspects, acquaintances),
    ...through.ties,
    ...profiles,
    ...amounts,
  ]);
  return { evidence, firstSeen: through.firstSeen };
};

/** Where all candidates will be shown their transactions are named meanwhile: the reader remembers them. */
const matchAmountsAndName = async (search: Search, byWallet: Suspects['byWallet'], ask: Ask) => {
  const amounts = await matchAmounts(search, [...byWallet.values()].flat(), ask);
  if (byWallet.size <= CANDIDATES_MAX) {
    const positions = [...byWallet.values()].flatMap((fits) => fits.slice(0, 1));
    await ask.reader.transactionHashes({ ...ask.limits, positions });
  }
  return amounts;
};

/** Whom the traced wallet dealt with, and who of them is a service. */
export const readAcquaintances = async (
  { request: { wallet }, middle }: Search,
  { reader, limits, families }: Ask,
): Promise<Acquaintances> => {
  const of = await reader.neighbours({
    ...limits,
    families,
    wallets: [wallet],
    perSideMax: ACQUAINTANCES_MAX,
  });
  const addresses = [...new Set(of.map(({ counterparty }) => counterparty))];
  const services = new Map(
    await askInChunks(addresses, (chunk) => reader.services({ ...limits, addresses: chunk })),
  );
  const isOwn = (address: Address) => services.get(address)?.entity === middle.entity;
  return { of, services, ownPools: new Set(addresses.filter(isOwn)) };
};
