import { largestFirst } from '../../model/amount.ts';
import type { Price } from '../../model/price-reader.ts';
import { type TransactionPosition, transactionKey } from '../../model/transfer-reader.ts';
import type { FollowReads } from '../follow-reader.ts';
import type { Inflow } from '../payments/inflow.ts';
import { largestPositions, placesOf } from '../positions/position.ts';
import { readPrices } from '../read-assets.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import {
  OTHERS_PER_TRAIL_MAX,
  SALE_CARRIERS_MAX,
  TRANSACTIONS_MAX,
  TRANSACTIONS_PER_TRAIL_MAX,
} from '../rules.ts';
import { branchesOf, type FoundHop, type FoundTrail } from '../trail.ts';

/** What an answer shows of the transactions of a trail. */
export type Details = {
  /** By place. */
  readonly hashes: ReadonlyMap<string, string>;
  /** The price of the followed asset by unix second. Missing if it was not asked or could not be read. */
  readonly prices: ReadonlyMap<number, Price | null>;
  /** Those that carried a hop. */
  readonly carriers: ReadTransactions;
};

/** The details of a trail, some of which is read beside its last wallets. */
export type DetailsReader = {
  /** Begins reading for hops after which the trail seems to end. A failed read is repeated at the end. */
  readonly begin: (hops: readonly FoundHop[]) => void;
  /**
   * All of it; what was not begun is read now. Throws `ReadFailedError` where rows or hashes cannot be read, `BudgetSpentError`
   * where it took too long.
   */
  readonly finish: (found: FoundTrail, reads: FollowReads) => Promise<Details>;
};

type Named = Pick<FoundTrail, 'chain' | 'asset'>;

export const createDetailsReader = (trail: Named, reads: FollowReads): DetailsReader => {
  const begun: Promise<unknown>[] = [];
  const asked = new Set<string>();
  const hashes = new Map<string, string>();
  const prices = new Map<number, Price | null>();
  /** One read each of rows, hashes and prices, at once. The rows of a transaction name it too: hashes are asked only of others. */
  const fill = async (shown: Shown, reads: FollowReads): Promise<ReadTransactions> => {
    const { carriers, others, named } = toTransactions(shown);
    const keys = new Set(carriers.map(transactionKey));
    const addHashes = async (of: readonly TransactionPosition[]): Promise<void> => {
      const unnamed = of.filter((at) => !hashes.has(transactionKey(at)));
      for (const [key, hash] of await readHashes(trail, unnamed, reads)) hashes.set(key, hash);
    };
    const { canonicalAsset } = trail.asset;
    const unpriced = [...carriers, ...others].flatMap(({ blockTime: timeUnixSeconds }) =>
      prices.has(timeUnixSeconds) ? [] : [{ canonicalAsset, timeUnixSeconds }],
    );
    const [told, priceOf] = await Promise.all([
      readTransactions(trail.chain, carriers, reads),
      readPrices(trail.chain, unpriced, reads),
      addHashes([...others, ...named].filter((at) => !keys.has(transactionKey(at)))),
    ]);
    for (const moment of unpriced) prices.set(moment.timeUnixSeconds, priceOf(moment));
    for (const [key, [row]] of told.rows) if (row) hashes.set(key, row.hash);
    // The hop has more rows than were read.
    await addHashes(carriers);
    return told;
  };
  return {
    begin: (hops) => {
      const fresh = hops.filter(({ mainTransfer }) => !asked.has(transactionKey(mainTransfer)));
      if (fresh.length === 0) return;
      for (const { mainTransfer } of fresh) asked.add(transactionKey(mainTransfer));
      begun.push(fill({ hops: limitOthers(fresh), sold: null }, reads).catch(() => undefined));
    },
    finish: async (found, readAtEnd) => {
      await Promise.all(begun);
      return { hashes, prices, carriers: await fill(found, readAtEnd) };
    },
  };
};

type Shown = Pick<FoundTrail, 'hops' | 'sold'> & Partial<Pick<FoundTrail, 'end'>>;

/** A hop that turned out to be a sale is no hop, but is shown all the same. */
export const chosenHops = ({ hops, sold }: Shown): readonly FoundHop[] =>
  sold === null ? hops : [...hops, sold];

/** Keeps the largest branches of the whole trail. */
export const limitOthers = (hops: readonly FoundHop[]): readonly FoundHop[] => {
  const largest = hops.flatMap(({ others }) => others).sort(largestFirst);
  const kept = new Set(largest.slice(0, OTHERS_PER_TRAIL_MAX));
  return hops.map((hop) => ({ ...hop, others: hop.others.filter((other) => kept.has(other)) }));
};

const toTransactions = (shown: Shown) => {
  const { hops, end } = shown;
  const branches = end === undefined ? [] : branchesOf(end);
  const swaps = end?.reason === 'dex_swap' ? [end.mainTransfer] : [];
  const beside = [...hops.flatMap(({ others }) => others), ...branches];
  return {
    carriers: chosenHops(shown).flatMap(pickCarriers),
    others: [...beside.map(({ mainTransfer }) => mainTransfer), ...swaps],
    /** Only their hash is shown. */
    named: [
      ...hops.flatMap(createPickNamed(hops.length)),
      ...hops.flatMap(({ positions }) => placesOf(largestPositions(positions))),
    ],
  };
};

const readHashes = async (
  { chain }: Named,
  positions: readonly TransactionPosition[],
  reads: FollowReads,
): Promise<(readonly [string, string])[]> => {
  if (positions.length === 0) return [];
  const hashes = await reads.transactionHashes({ chain: chain.name }, positions);
  return positions.flatMap((position, at) => {
    const hash = hashes[at] ?? null;
    return hash === null ? [] : [[transactionKey(position), hash] as const];
  });
};

/** The largest transactions of a hop, which decide what it was. The first is the one that the answer shows. */
export const pickCarriers = ({ carriers }: Pick<FoundHop, 'carriers'>): readonly Inflow[] =>
  carriers.toSorted(largestFirst).slice(0, SALE_CARRIERS_MAX);

/** The largest transactions of a hop, in the trail's order. The more hops, the fewer of each. */
export const createPickNamed = (hops: number) => {
  const fairShare = Math.floor(TRANSACTIONS_PER_TRAIL_MAX / Math.max(1, hops));
  const most = Math.max(SALE_CARRIERS_MAX, Math.min(TRANSACTIONS_MAX, fairShare));
  return ({ carriers }: Pick<FoundHop, 'carriers'>): readonly Inflow[] => {
    const largest = new Set(carriers.toSorted(largestFirst).slice(0, most));
    return carriers.filter((carrier) => largest.has(carrier));
  };
};
