import type { Address } from '../../model/address.ts';
import { type Label, passingKind } from '../../model/label.ts';
import { answersByKey } from '../../model/query.ts';
import type { AmountRange } from '../../model/trace-reader.ts';
import { compareTransactions } from '../../model/transfer-reader.ts';
import type { ModeFound } from '../choose-mode.ts';
import type { QueryContext } from '../query-context.ts';
import { readServices } from '../read-services.ts';
import type { Intermediary } from '../resolve-intermediary.ts';
import { TRANSFERS_MAX } from '../rules.ts';
import type { MatchesRead, MatchingTransfer, Search } from '../search.ts';
import type { Holding, TraceRequest } from '../trace-answer.ts';
import { chooseFeeModel, isSwapper, paidInRange, paidOutRange } from './fee-model.ts';
import { type ConvertedRead, readConverted } from './find-converted.ts';
import { findFees } from './find-fees.ts';
import { findOrder } from './find-order.ts';
import { joinPassedOn, type PassedOn } from './join-passed-on.ts';
import { type BehindAddresses, lookBehindDepositAddresses } from './look-behind-deposit-addresses.ts';
import { readOtherSide } from './read-other-side.ts';
import { readOuterLegs } from './read-outer-legs.ts';

export type MatchesFound = {
  readonly matches: readonly MatchingTransfer[];
  /** Transfers of matching amounts to or from a known party, the service itself included. */
  readonly excluded: number;
  /** Matching transfers that were read. */
  readonly read: number;
  readonly complete: boolean;
  readonly isPriced: boolean;
  readonly routers: PassedOn['routers'];
  /** Labels of the matches' wallets, and of others that were queried with them. */
  readonly labels: ReadonlyMap<Address, Label>;
  readonly quiet: BehindAddresses['quiet'];
  /** Whether the payers of all deposit addresses among the matches are known. */
  readonly hasAllPayers: boolean;
};

/**
 * All transfers on the service's other side that match the anchor in amount and time. Listed swappers are also
 * searched for other assets of the same worth. So are addresses of one order, where no payout has the same asset.
 * Other exchanges are not: among their many customers some conversion always matches by chance.
 */
export const findMatches = async (search: Search, context: QueryContext): Promise<MatchesFound> => {
  const { found, intermediary } = search;
  if (found.mode === 'exchange' && isSwapper(intermediary.entity)) {
    const [same, converted] = await Promise.all([
      readSameAsset(search, context),
      readConverted(search, context),
    ]);
    return sortOut(search, join(same, converted), context);
  }
  const same = await readSameAsset(search, context);
  const sorted = await sortOut(search, { ...same, isPriced: true }, context);
  if (sorted.matches.length > 0 || !(await findOrder(search, context))) return sorted;
  return sortOut(search, join(same, await readConverted(search, context)), context);
};

const join = (same: MatchesRead, converted: ConvertedRead): ConvertedRead => ({
  rows: [...same.rows, ...converted.rows],
  complete: same.complete && converted.complete,
  isPriced: converted.isPriced,
});

type MatchQuery = Pick<Search, 'request' | 'anchor' | 'intermediary' | 'found' | 'range'>;

export const readSameAsset = async (search: MatchQuery, context: QueryContext): Promise<MatchesRead> => {
  const rows: MatchingTransfer[] = [];
  let complete = true;
  for (const moved of search.anchor.moved) {
    const { canonicalAsset } = moved;
    const amounts = amountRange(search.request, { ...search, moved });
    const read = await readOtherSide(search, { ...amounts, canonicalAsset, limit: TRANSFERS_MAX }, context);
    complete &&= read.length < TRANSFERS_MAX;
    rows.push(...read.map((row) => ({ ...row, canonicalAsset, mode: search.found.mode })));
  }
  return { rows, complete };
};

const sortOut = async (search: Search, read: ConvertedRead, context: QueryContext): Promise<MatchesFound> => {
  const { rows, routers } = joinPassedOn(read.rows, search);
  const outside = rows.filter((row) => isPossible(search, row));
  const [known, behind, isFee] = await Promise.all([
    findKnownOthers(search.intermediary, counterpartiesOf(outside), context),
    lookBehindDepositAddresses(search, outside, context),
    findFees(search, outside, context),
  ]);
  const strangers = outside.filter((match) => isStranger(match, known) && !isFee(match));
  const inner = outside.filter(({ counterparty }) => known.own.has(counterparty));
  const outer = await readOuterLegs(search, { inner, isAmount: (match) => isAmount(search, match) }, context);
  const paid = strangers.map(behind.nameOf);
  const named = [...paid, ...outer.rows].filter((match) => match !== null);
  const others = new Set(named).difference(new Set(strangers));
  const knownOthers = await findKnownOthers(search.intermediary, counterpartiesOf([...others]), context);
  const matches = named.filter((match) => isStranger(match, knownOthers));
  return {
    matches,
    excluded: outside.length - matches.length,
    read: outside.length,
    complete: read.complete && outer.complete,
    isPriced: read.isPriced,
    routers: new Set([...routers, ...outer.routers]),
    labels: new Map([...known.labels, ...knownOthers.labels]),
    quiet: behind.quiet,
    hasAllPayers: behind.complete && !paid.includes(null),
  };
};

const counterpartiesOf = (matches: readonly MatchingTransfer[]): Address[] => [
  ...new Set(matches.map(({ counterparty }) => counterparty)),
];

const isStranger = ({ counterparty }: MatchingTransfer, { others, own }: KnownOthers): boolean =>
  !others.has(counterparty) && !own.has(counterparty);

type Sought = { readonly intermediary: Intermediary; readonly found: ModeFound; readonly moved: Holding };

const isAmount = (search: Search, match: MatchingTransfer): boolean => {
  const { minRaw, maxRaw } = amountRange(search.request, { ...search, moved: match });
  return match.amountRaw >= minRaw && match.amountRaw <= maxRaw;
};

/** The range of possible amounts on the other side of an anchor, less the service's fees. */
export const amountRange = (
  { chain, direction }: Pick<TraceRequest, 'chain' | 'direction'>,
  { intermediary, found, moved }: Sought,
): AmountRange => {
  const { mode, denominationRaw } = found;
  const model = chooseFeeModel(chain, {
    entity: intermediary.entity,
    mode,
    canonicalAsset: moved.canonicalAsset,
  });
  if (direction === 'out') return paidOutRange(model, denominationRaw ?? moved.amountRaw);
  if (denominationRaw !== null) return { minRaw: denominationRaw, maxRaw: denominationRaw };
  return paidInRange(model, moved.amountRaw);
};

/**
 * Within the indexed span, after the anchor in chain order (before it when tracing backward), and for equal
 * notes through the same pool.
 */
export const isPossible = (
  { request, anchor, found, pool, isPlacebo, crowdSinceUnixSeconds }: Search,
  row: MatchingTransfer,
): boolean => {
  if (row.blockTime < crowdSinceUnixSeconds) return false;
  if (found.mode === 'fixed' && row.wallet !== pool) return false;
  if (row.counterparty === '') return false;
  if (anchor.position === null || isPlacebo) return true;
  const order = compareTransactions(row, anchor.position);
  return request.direction === 'out' ? order > 0 : order < 0;
};

type KnownOthers = Awaited<ReturnType<typeof findKnownOthers>>;

/** Wallets of the service itself, and wallets known not to be a person's. */
export const findKnownOthers = async (
  intermediary: Intermediary,
  addresses: readonly Address[],
  context: QueryContext,
) => {
  const { reads, onChain } = context;
  const [services, labels] = await Promise.all([
    readServices(addresses, context),
    answersByKey(reads.labels, onChain, addresses),
  ]);
  const isOwn = (address: Address): boolean =>
    address === intermediary.depositAddress || services.get(address)?.entity === intermediary.entity;
  const own = new Set(addresses.filter(isOwn));
  // They cannot be the owner of the anchor.
  const labelled = [...labels].filter(([, label]) => passingKind(label) !== null).map(([address]) => address);
  const others = new Set(labelled.filter((address) => !own.has(address)));
  return { own, others, labels };
};
