import { passingKind } from '../model/label.ts';
import type { Moment } from '../model/price-reader.ts';
import { type TransactionRow, transactionKey } from '../model/transfer-reader.ts';
import { describeEnd } from './describe-end.ts';
import { findProceeds, type PaidIn, type Proceeds } from './find-proceeds.ts';
import type { BudgetedRead } from './follow-reader.ts';
import { largestFirst } from './limit-others.ts';
import { type Arrival, compareOnTrail } from './outgoing.ts';
import { pickCarriers } from './pick-carriers.ts';
import { MAJORITY_PARTS, OTHERS_MAX, PARTS, SALE_ASSETS_MAX } from './rules.ts';
import { mayLogFalsely } from './take-outgoing.ts';
import type { FoundBranch, FoundHop, FoundTrail } from './trail.ts';
import { readWeights, type Weigh } from './weigh-amounts.ts';

/**
 * Ends a trail where most of what a hop carried was sold: whom it reached paid another asset in the very transactions that
 * brought the money, and what left there later is somebody else's. Backward, the money was got in that way.
 */
export const endAtSale = async (
  found: FoundTrail,
  rows: readonly TransactionRow[],
  read: BudgetedRead,
): Promise<FoundTrail> => {
  const byTransaction = Map.groupBy(rows, transactionKey);
  const intoService = found.hops.findIndex(isIntoService);
  const hops = intoService === -1 ? found.hops : found.hops.slice(0, intoService);
  const payments = hops.map((hop) => payingIn(hop, byTransaction));
  const moments = payments.flat().flatMap((payment) => momentsOf(found, payment));
  const weigh = await readWeights(found.chain, moments, read);
  for (const [at, hop] of hops.entries()) {
    const sale = findSale(found, hop, { payments: payments[at] ?? [], weigh });
    if (sale !== null) return cutAt(found, { hop, at, ...sale });
  }
  return found;
};

const isIntoService = ({ toLabel }: FoundHop): boolean => {
  const kind = toLabel && passingKind(toLabel);
  return kind === 'exchange' || kind === 'bridge' || kind === 'mixer';
};

/** One transaction of a hop, with all its rows. */
type Payment = PaidIn & { readonly carrier: Arrival };

const payingIn = (
  hop: FoundHop,
  byTransaction: ReadonlyMap<string, readonly TransactionRow[]>,
): readonly Payment[] =>
  pickCarriers(hop).flatMap((carrier) => {
    const rows = byTransaction.get(transactionKey(carrier));
    return rows === undefined ? [] : [{ payer: hop.from, pool: hop.to, carrier, rows }];
  });

/** Most hops were no sale, and need no price. */
const momentsOf = (
  { chain, asset: { family: followed }, backward }: FoundTrail,
  { pool, carrier, rows }: Payment,
): Moment[] => {
  const isPaid = ({ from, to, family }: TransactionRow): boolean =>
    family !== followed && pool === (backward ? to : from);
  if (!rows.some(isPaid)) return [];
  const families = [...new Set([followed, ...rows.map(({ family }) => family)])];
  const mayBeMadeUp = (family: string): number => Number(mayLogFalsely(chain, family));
  return families
    .sort((a, b) => mayBeMadeUp(a) - mayBeMadeUp(b))
    .slice(0, SALE_ASSETS_MAX)
    .map((family) => ({ family, timeUnixSeconds: carrier.blockTime }));
};

type Sale = Proceeds & {
  /** Of what was sold for this. */
  readonly largest: Arrival;
  readonly sinceUnixSeconds: number;
  readonly unsold: readonly Arrival[];
};

type Told = { readonly payments: readonly Payment[]; readonly weigh: Weigh };

/** null where less than half of the money was sold. */
const findSale = (found: FoundTrail, hop: FoundHop, { payments, weigh }: Told): Sale | null => {
  const compare = compareOnTrail(found.backward);
  const told = payments
    .map((payment) => ({ carrier: payment.carrier, proceeds: findProceeds(found, payment, weigh) }))
    .sort((a, b) => compare(a.carrier, b.carrier));
  const sold = told.flatMap(({ carrier, proceeds }) => (proceeds === null ? [] : { carrier, proceeds }));
  const soldRaw = sumOf(sold.map(({ carrier }) => carrier));
  if (soldRaw * PARTS < sumOf(told.map(({ carrier }) => carrier)) * MAJORITY_PARTS) return null;
  const streams = Map.groupBy(sold, ({ proceeds: { asset, address } }) => `${asset.family} ${address}`);
  const [stream] = [...streams.values()]
    .map((of) => ({ of, amountRaw: sumOf(of.map(({ carrier }) => carrier)) }))
    .sort(largestFirst);
  const [first] = stream?.of ?? [];
  if (stream === undefined || first === undefined) return null;
  return {
    ...first.proceeds,
    largest: stream.of.map(({ carrier }) => carrier).reduce(larger),
    // Of what was not looked at an earlier one may be a sale too.
    sinceUnixSeconds: told.length < hop.carriers.length ? hop.sinceUnixSeconds : first.carrier.blockTime,
    unsold: told.flatMap(({ carrier, proceeds }) => (proceeds === null ? [carrier] : [])),
  };
};

const sumOf = (carriers: readonly Arrival[]): bigint =>
  carriers.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);

const larger = (best: Arrival, other: Arrival): Arrival => (other.amountRaw > best.amountRaw ? other : best);

const cutAt = (
  found: FoundTrail,
  {
    hop,
    at,
    address,
    asset: sold,
    largest,
    sinceUnixSeconds,
    unsold,
  }: Sale & { readonly hop: FoundHop; readonly at: number },
): FoundTrail => {
  const { family: asset, symbol, decimals } = sold;
  const output = { asset, symbol, decimals };
  const soldRaw = hop.amountRaw - sumOf(unsold);
  const others = [...hop.others, ...toBranch(hop, unsold)].sort(largestFirst).slice(0, OTHERS_MAX);
  return {
    ...found,
    hops: found.hops.slice(0, at),
    end: {
      reason: 'dex_swap',
      address,
      detail: describeEnd(found, found.asset).sold({ ...hop, amountRaw: soldRaw }, address, output),
      output,
      signature: largest,
      timeUnixSeconds: sinceUnixSeconds,
      others,
    },
  };
};

/** What was paid to the same wallet and not sold there. */
const toBranch = ({ from, to, toLabel }: FoundHop, [first, ...rest]: readonly Arrival[]): FoundBranch[] => {
  if (first === undefined) return [];
  const unsold = [first, ...rest];
  const stands = { signature: unsold.reduce(larger), sinceUnixSeconds: first.blockTime };
  return [{ from, to, toLabel, amountRaw: sumOf(unsold), output: null, ...stands }];
};
