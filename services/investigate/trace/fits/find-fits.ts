import type { Address } from '../../model/address.ts';
import { type Label, passingKind } from '../../model/label.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import { compareTransactions } from '../../model/transfer-reader.ts';
import { type Ask, askInChunks } from '../ask.ts';
import type { ModeFound } from '../choose-mode.ts';
import { readServices } from '../read-services.ts';
import type { Middle } from '../resolve-middle.ts';
import { TRANSFERS_MAX } from '../rules.ts';
import type { Fit, FitsRead, Search } from '../search.ts';
import type { Holding, TraceRequest } from '../trace-answer.ts';
import { chooseFeeModel, isSwapper, paidInRange, paidOutRange } from './fee-model.ts';
import { type ConvertedRead, readConverted } from './find-converted.ts';
import { findFees } from './find-fees.ts';
import { findOrder } from './find-order.ts';
import { joinPassedOn, type PassedOn } from './join-passed-on.ts';
import { type BehindAddresses, lookBehindDepositAddresses } from './look-behind-deposit-addresses.ts';
import { readOtherSide } from './read-other-side.ts';
import { readOuterLegs } from './read-outer-legs.ts';

export type FitsFound = {
  readonly fits: readonly Fit[];
  /** Transfers of fitting amounts to or from somebody known, the service itself included. */
  readonly excluded: number;
  /** Fitting transfers that were read. */
  readonly read: number;
  readonly complete: boolean;
  readonly isPriced: boolean;
  readonly routers: PassedOn['routers'];
  /** Of the fits' wallets, and of others that were asked about with them. */
  readonly labels: ReadonlyMap<Address, Label>;
  readonly quiet: BehindAddresses['quiet'];
  /** Of all deposit addresses among the fits it is known who paid them. */
  readonly knowsPayers: boolean;
};

/**
 * All transfers of the service's other side that fit the anchor in amount and time. Of a listed swapper also those of other
 * assets that fit in worth; of what an address for one order leads to, where nobody was paid the same asset. Other exchanges
 * are not searched so: of what their customers convert some always fits by chance.
 */
export const findFits = async (search: Search, ask: Ask): Promise<FitsFound> => {
  const { found, middle } = search;
  if (found.mode === 'exchange' && isSwapper(middle.entity)) {
    const [same, converted] = await Promise.all([readSameAsset(search, ask), readConverted(search, ask)]);
    return sortOut(search, join(same, converted), ask);
  }
  const same = await readSameAsset(search, ask);
  const sorted = await sortOut(search, { ...same, isPriced: true }, ask);
  if (sorted.fits.length > 0 || !(await findOrder(search, ask))) return sorted;
  return sortOut(search, join(same, await readConverted(search, ask)), ask);
};

const join = (same: FitsRead, converted: ConvertedRead): ConvertedRead => ({
  rows: [...same.rows, ...converted.rows],
  complete: same.complete && converted.complete,
  isPriced: converted.isPriced,
});

type Asking = Pick<Search, 'request' | 'anchor' | 'middle' | 'found' | 'range'>;

export const readSameAsset = async (search: Asking, ask: Ask): Promise<FitsRead> => {
  const rows: Fit[] = [];
  let complete = true;
  for (const moved of search.anchor.moved) {
    const { canonicalAsset } = moved;
    const amounts = amountRange(search.request, { ...search, moved });
    const read = await readOtherSide(search, { ...amounts, canonicalAsset, limit: TRANSFERS_MAX }, ask);
    complete &&= read.length < TRANSFERS_MAX;
    rows.push(...read.map((row) => ({ ...row, canonicalAsset, mode: search.found.mode })));
  }
  return { rows, complete };
};

const sortOut = async (search: Search, read: ConvertedRead, ask: Ask): Promise<FitsFound> => {
  const { rows, routers } = joinPassedOn(read.rows, search);
  const outside = rows.filter((row) => isPossible(search, row));
  const [known, behind, isFee] = await Promise.all([
    findKnownOthers(search.middle, counterpartiesOf(outside), ask),
    lookBehindDepositAddresses(search, outside, ask),
    findFees(search, outside, ask),
  ]);
  const strangers = outside.filter((fit) => isStranger(fit, known) && !isFee(fit));
  const inner = outside.filter(({ counterparty }) => known.own.has(counterparty));
  const outer = await readOuterLegs(search, { inner, isAmount: (fit) => isAmount(search, fit) }, ask);
  const paid = strangers.map(behind.nameOf);
  const named = [...paid, ...outer.rows].filter((fit) => fit !== null);
  const others = new Set(named).difference(new Set(strangers));
  const knownOthers = await findKnownOthers(search.middle, counterpartiesOf([...others]), ask);
  const fits = named.filter((fit) => isStranger(fit, knownOthers));
  return {
    fits,
    excluded: outside.length - fits.length,
    read: outside.length,
    complete: read.complete && outer.complete,
    isPriced: read.isPriced,
    routers: new Set([...routers, ...outer.routers]),
    labels: new Map([...known.labels, ...knownOthers.labels]),
    quiet: behind.quiet,
    knowsPayers: behind.complete && !paid.includes(null),
  };
};

const counterpartiesOf = (fits: readonly Fit[]): Address[] => [
  ...new Set(fits.map(({ counterparty }) => counterparty)),
];

const isStranger = ({ counterparty }: Fit, { others, own }: KnownOthers): boolean =>
  !others.has(counterparty) && !own.has(counterparty);

type Sought = { readonly middle: Middle; readonly found: ModeFound; readonly moved: Holding };

const isAmount = (search: Search, fit: Fit): boolean => {
  const { minRaw, maxRaw } = amountRange(search.request, { ...search, moved: fit });
  return fit.amountRaw >= minRaw && fit.amountRaw <= maxRaw;
};

/** What the other side of an anchor can have been, less what the service keeps. */
export const amountRange = (
  { chain, direction }: Pick<TraceRequest, 'chain' | 'direction'>,
  { middle, found, moved }: Sought,
): AmountRange => {
  const { mode, denominationRaw } = found;
  const model = chooseFeeModel(chain, { entity: middle.entity, mode, canonicalAsset: moved.canonicalAsset });
  if (direction === 'out') return paidOutRange(model, denominationRaw ?? moved.amountRaw);
  if (denominationRaw !== null) return { minRaw: denominationRaw, maxRaw: denominationRaw };
  return paidInRange(model, moved.amountRaw);
};

/** Among what is indexed, behind the anchor in the order of the chain (before it, backward), and for equal notes through the same pool. */
export const isPossible = (
  { request, anchor, found, pool, isPlacebo, indexedSinceUnixSeconds }: Search,
  row: Fit,
): boolean => {
  if (row.blockTime < indexedSinceUnixSeconds) return false;
  if (found.mode === 'fixed' && row.wallet !== pool) return false;
  if (row.counterparty === '') return false;
  if (anchor.position === null || isPlacebo) return true;
  const order = compareTransactions(row, anchor.position);
  return request.direction === 'out' ? order > 0 : order < 0;
};

type KnownOthers = Awaited<ReturnType<typeof findKnownOthers>>;

/** Who of them belongs to the service itself, and who is known to be somebody else than a person. */
export const findKnownOthers = async (middle: Middle, addresses: readonly Address[], ask: Ask) => {
  const { reader, limits } = ask;
  const [services, labels] = await Promise.all([
    readServices(addresses, ask),
    askInChunks(addresses, (chunk) => reader.labels({ ...limits, addresses: chunk })),
  ]);
  const isOwn = (address: Address): boolean =>
    address === middle.depositAddress || services.get(address)?.entity === middle.entity;
  const own = new Set(addresses.filter(isOwn));
  // Whoever they are, they are not the owner of the anchor.
  const labelled = labels.filter(([, label]) => passingKind(label) !== null).map(([address]) => address);
  const others = new Set(labelled.filter((address) => !own.has(address)));
  return { own, others, labels: new Map(labels) };
};
