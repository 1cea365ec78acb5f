import type { Address } from '../model/address.ts';
import { listedOn } from '../model/asset.ts';
import { describeSeenIn, READ_SECONDS_MIN, secondsReadBefore } from '../model/history-coverage.ts';
import { looksAlike, looksOf } from '../model/looks-alike.ts';
import type { Entry } from '../model/profile-reader.ts';
import { answersByKey } from '../model/query.ts';
import { bothSides } from '../model/trace-reader.ts';
import { compareTransactions, type TransactionPosition } from '../model/transfer-reader.ts';
import type { Lookalike } from './profile.ts';
import type { QueryContext } from './query-context.ts';
import { COUNTERPARTIES_MAX, LOOKALIKE_VICTIMS_MAX, LOOKALIKES_MAX } from './rules.ts';

/** Two addresses that look alike, and where a wallet that dealt with both first met each. */
type Pair = {
  readonly victim: Address;
  readonly one: Address;
  readonly other: Address;
  readonly metOne: TransactionPosition;
  readonly metOther: TransactionPosition;
};

/**
 * Decides which of two similar addresses in a wallet's history is the imitation: the one that appeared on the
 * chain later. Checks the wallet's own rows, and also those of its counterparties in case the wallet itself
 * is the imitation. At most two queries.
 */
export const findLookalikes = async (
  wallet: Address,
  entries: readonly Entry[],
  context: QueryContext,
): Promise<readonly Lookalike[]> => {
  const pairs = [...pairMet(wallet, entries), ...(await pairImitated(wallet, entries, context))];
  if (pairs.length === 0) return [];
  const wallets = [...new Set(pairs.flatMap(({ one, other }) => [one, other]))];
  const seen = await context.reader.firstSeen({ ...context.onChain, wallets });
  const told = pairs.flatMap((pair) => toLookalike(wallet, pair, seen));
  const span = await context.readSpan();
  const known = await Promise.all(told.map(({ address }) => context.historyOf(address)));
  // The one seen later may be the older one, unless its history is whole, or it was silent before.
  const readBefore = ({ address }: Pick<Lookalike, 'address'>, index: number): number => {
    const first = seen.get(address);
    if (known[index] === 'whole') return Number.POSITIVE_INFINITY;
    return first === undefined ? -1 : secondsReadBefore(span, first);
  };
  return told
    .flatMap((each, index) => {
      const seconds = readBefore(each, index);
      const seenIn = Number.isFinite(seconds) ? describeSeenIn(span) : null;
      return seconds < READ_SECONDS_MIN ? [] : [{ ...each, seenIn }];
    })
    .toSorted((a, b) => Number(b.role === 'imitation') - Number(a.role === 'imitation'))
    .slice(0, LOOKALIKES_MAX);
};

/** Before it is known what was read of the addresses. */
const toLookalike = (
  wallet: Address,
  { victim, one, other, metOne, metOther }: Pair,
  seen: ReadonlyMap<Address, TransactionPosition>,
): Omit<Lookalike, 'seenIn'>[] => {
  const [first, second] = [seen.get(one), seen.get(other)];
  if (first === undefined || second === undefined) return [];
  const isOther = compareTransactions(first, second) < 0;
  const [address, of, met] = isOther ? [other, one, metOther] : [one, other, metOne];
  const { blockTime, blockNumber, txIndex } = met;
  const role = victim === wallet ? 'victim' : 'imitation';
  // The older address is the imitated one and did nothing wrong.
  if (role === 'imitation' && address !== wallet) return [];
  return [{ role, address, of, victim, blockTime, blockNumber, txIndex }];
};

/**
 * The wallet's counterparties, each at its first contact, however small. `entries` are in the order read,
 * newest first.
 */
const firstMeetings = (entries: readonly Entry[]): ReadonlyMap<Address, TransactionPosition> => {
  const met = new Map<Address, TransactionPosition>();
  for (const { counterparty, blockTime, blockNumber, txIndex } of entries)
    if (counterparty !== null) met.set(counterparty, { blockTime, blockNumber, txIndex });
  return met;
};

/** Counterparties of the wallet that look like each other. */
const pairMet = (wallet: Address, entries: readonly Entry[]): readonly Pair[] => {
  const met = firstMeetings(entries);
  const byLook = Map.groupBy(
    [...met.keys()].flatMap((address) => looksOf(address).map((look) => ({ look, address }))),
    ({ look }) => look,
  );
  const pairs = new Map<string, Pair>();
  for (const alike of byLook.values()) {
    const [first, ...others] = alike.map(({ address }) => address).toSorted();
    for (const other of others) {
      const [metOne, metOther] = [met.get(first ?? ''), met.get(other)];
      if (first && metOne && metOther && looksAlike(first, other))
        pairs.set(`${first} ${other}`, { victim: wallet, one: first, other, metOne, metOther });
    }
  }
  return [...pairs.values()].slice(0, LOOKALIKES_MAX);
};

/**
 * Counterparties of counterparties that look like the wallet itself. Listed assets come from the rows, all
 * others from derived facts, which lag a little behind the rows. One round of queries, because an imitation
 * has few counterparties.
 */
const pairImitated = async (
  wallet: Address,
  entries: readonly Entry[],
  { chain, reader, onChain }: QueryContext,
): Promise<readonly Pair[]> => {
  const met = new Map(
    [...firstMeetings(entries)]
      .toSorted((a, b) => compareTransactions(a[1], b[1]))
      .slice(0, LOOKALIKE_VICTIMS_MAX),
  );
  if (met.size === 0) return [];
  const canonicalAssets = listedOn(chain);
  const victims = [...met.keys()];
  const [around, imitated] = await Promise.all([
    reader.neighbours(
      {
        ...onChain,
        canonicalAssets,
        leastRaw: canonicalAssets.map(() => 1n),
        perSideMax: COUNTERPARTIES_MAX,
      },
      bothSides(victims),
    ),
    answersByKey(reader.imitated, { ...onChain, lookalike: wallet }, victims),
  ]);
  const pairs = new Map<string, Pair>();
  for (const { wallet: victim, counterparty: other, first: metOther } of around.flat()) {
    const metOne = met.get(victim);
    if (metOne && looksAlike(wallet, other))
      pairs.set(`${victim} ${other}`, { victim, one: wallet, other, metOne, metOther });
  }
  for (const [victim, other] of imitated) {
    const metOne = met.get(victim);
    if (metOne) pairs.set(`${victim} ${other}`, { victim, one: wallet, other, metOne, metOther: metOne });
  }
  return [...pairs.values()].slice(0, LOOKALIKES_MAX);
};
