import { largestFirst } from '../../model/amount.ts';
import { transactionKey } from '../../model/transfer-reader.ts';
import type { BudgetedRead } from '../follow-reader.ts';
import { NO_TRANSACTIONS } from '../read-transactions.ts';
import { OTHERS_PER_TRAIL_MAX } from '../rules.ts';
import { branchesOf, type FoundHop, type FoundTrail } from '../trail.ts';
import { type Details, pickCarriers, pickNamed, readDetails, type Transactions } from './read-details.ts';

/** Keeps the largest of what left beside a whole trail. */
export const limitOthers = (hops: readonly FoundHop[]): readonly FoundHop[] => {
  const largest = hops.flatMap(({ others }) => others).sort(largestFirst);
  const kept = new Set(largest.slice(0, OTHERS_PER_TRAIL_MAX));
  return hops.map((hop) => ({ ...hop, others: hop.others.filter((other) => kept.has(other)) }));
};

/** The details of a trail, some of which is read beside its last wallets. */
export type DetailsReader = {
  /** For hops after which the trail seems to end. What fails is asked for again at the end. */
  readonly begin: (hops: readonly FoundHop[]) => void;
  /** All of it; what was not begun is read now. Throws as `readDetails` does. */
  readonly finish: (found: FoundTrail, read: BudgetedRead) => Promise<Details>;
};

export const createDetailsReader = (
  trail: Pick<FoundTrail, 'chain' | 'asset'>,
  read: BudgetedRead,
): DetailsReader => {
  const begun: Promise<void>[] = [];
  const asked = new Set<string>();
  let come: Details = { hashes: new Map(), prices: new Map(), carriers: NO_TRANSACTIONS };
  return {
    begin: (hops) => {
      const fresh = hops.filter(({ signature }) => !asked.has(transactionKey(signature)));
      if (fresh.length === 0) return;
      for (const { signature } of fresh) asked.add(transactionKey(signature));
      const reading = readDetails(trail, missing(toTransactions({ hops: limitOthers(fresh) }), come), read);
      begun.push(
        reading.then(
          (more) => {
            come = join(come, more);
          },
          () => undefined,
        ),
      );
    },
    finish: async (found, readAtEnd) => {
      await Promise.all(begun);
      return join(come, await readDetails(trail, missing(toTransactions(found), come), readAtEnd));
    },
  };
};

const toTransactions = ({ hops, end }: Pick<FoundTrail, 'hops'> & Partial<FoundTrail>): Transactions => {
  const branches = end === undefined ? [] : branchesOf(end);
  const swaps = end?.reason === 'dex_swap' ? [end.signature] : [];
  const beside = [...hops.flatMap(({ others }) => others), ...branches];
  return {
    carriers: hops.flatMap(pickCarriers),
    others: [...beside.map(({ signature }) => signature), ...swaps],
    named: pickNamed(hops).flat(),
  };
};

const missing = (
  { carriers, others, named }: Transactions,
  { hashes, carriers: come }: Details,
): Transactions => {
  const hasCome = (key: string): boolean => come.rows.has(key) || come.unread.has(key);
  const fresh = new Set(carriers.map(transactionKey));
  return {
    carriers: carriers.filter((carrier) => !hasCome(transactionKey(carrier))),
    others: others.filter((other) => !hashes.has(transactionKey(other))),
    named: named.filter((at) => !hashes.has(transactionKey(at)) && !fresh.has(transactionKey(at))),
  };
};

const join = (come: Details, more: Details): Details => ({
  hashes: new Map([...come.hashes, ...more.hashes]),
  prices: new Map([...come.prices, ...more.prices]),
  carriers: {
    rows: new Map([...come.carriers.rows, ...more.carriers.rows]),
    unread: new Set([...come.carriers.unread, ...more.carriers.unread]),
  },
});
