import type { Address } from '../model/address.ts';
import { listedOn } from '../model/asset.ts';
import { looksAlike, looksOf } from '../model/looks-alike.ts';
import type { Entry } from '../model/profile-reader.ts';
import { bothSides } from '../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import type { Lookalike } from './profile.ts';
import { ACQUAINTANCES_MAX, LOOKALIKE_VICTIMS_MAX, LOOKALIKES_MAX } from './rules.ts';

type Met = { readonly address: Address; readonly at: TransactionPosition };

/** Whom the wallet met, however little passed, each at the first time. `entries` as they are read, newest first. */
const firstMeetings = (entries: readonly Entry[]): readonly Met[] => {
  const met = new Map<Address, TransactionPosition>();
  for (const { counterparty, blockTime, blockNumber, txIndex } of entries)
    if (counterparty !== null) met.set(counterparty, { blockTime, blockNumber, txIndex });
  return [...met].map(([address, at]) => ({ address, at }));
};

/** Pairs of addresses that look alike, the one that was met earlier first. */
const pairAlike = (met: readonly Met[]): readonly (readonly [earlier: Met, later: Met])[] => {
  const byLook = Map.groupBy(
    met.flatMap((one) => looksOf(one.address).map((look) => ({ look, one }))),
    ({ look }) => look,
  );
  const pairs = new Map<string, readonly [Met, Met]>();
  for (const alike of byLook.values()) {
    const inOrder = alike.map(({ one }) => one).toSorted((a, b) => compareTransactions(a.at, b.at));
    const [first, ...later] = inOrder;
    for (const each of later)
      if (first && looksAlike(first.address, each.address))
        pairs.set(`${first.address} ${each.address}`, [first, each]);
  }
  return [...pairs.values()];
};

/** Addresses that were made to look like somebody whom the wallet had dealt with before. */
export const findImitationsMet = (wallet: Address, entries: readonly Entry[]): readonly Lookalike[] =>
  pairAlike(firstMeetings(entries))
    .slice(0, LOOKALIKES_MAX)
    .map(([original, imitation]) => ({
      ...imitation.at,
      ...{ role: 'victim', address: imitation.address, of: original.address, victim: wallet },
    }));

/**
 * Whom the wallet itself was made to look like: somebody with whom one of its counterparties had dealt before it. One question about
 * the wallet's first counterparties: an imitation has few.
 */
export const findImitated = async (
  wallet: Address,
  entries: readonly Entry[],
  { chain, reader, limits }: Ask,
): Promise<readonly Lookalike[]> => {
  const met = firstMeetings(entries)
    .toSorted((a, b) => compareTransactions(a.at, b.at))
    .slice(0, LOOKALIKE_VICTIMS_MAX);
  if (met.length === 0) return [];
  const families = listedOn(chain);
  const around = await reader.neighbours({
    ...limits(),
    sides: bothSides(met.map(({ address }) => address)),
    families,
    leastRaw: families.map(() => 1n),
    perSideMax: ACQUAINTANCES_MAX,
  });
  const metAt = new Map(met.map(({ address, at }) => [address, at]));
  const alike = around.flatMap(({ wallet: victim, counterparty, first }): Lookalike[] => {
    const at = metAt.get(victim);
    const isImitated = at && looksAlike(wallet, counterparty) && compareTransactions(first, at) < 0;
    return isImitated ? [{ ...at, role: 'imitation', address: wallet, of: counterparty, victim }] : [];
  });
  return [...new Map(alike.map((each) => [`${each.of} ${each.victim}`, each])).values()].slice(
    0,
    LOOKALIKES_MAX,
  );
};
