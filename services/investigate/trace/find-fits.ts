import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import type { AmountRange } from '../model/trace-reader.ts';
import { compareTransactions } from '../model/transfer-reader.ts';
import { type Ask, askInChunks } from './ask.ts';
import type { ModeFound } from './choose-mode.ts';
import { chooseFeeModel, isSwapper, type Mode, paidInRange, paidOutRange } from './fee-model.ts';
import { readConverted } from './find-converted.ts';
import { joinPassedOn, type PassedOn } from './join-passed-on.ts';
import type { Middle } from './resolve-middle.ts';
import { TRANSFERS_MAX } from './rules.ts';
import type { Fit, FitsRead, Search } from './search.ts';
import type { Holding, TraceRequest } from './trace-answer.ts';

export type FitsFound = {
  readonly fits: readonly Fit[];
  /** As searched, or `swap` where only other assets fit. */
  readonly mode: Mode;
  /** Transfers of fitting amounts to or from somebody known. */
  readonly excluded: number;
  /** Fitting transfers that were read. */
  readonly read: number;
  readonly complete: boolean;
  readonly routers: PassedOn['routers'];
  /** Of the fits' wallets, and of others that were asked about with them. */
  readonly labels: ReadonlyMap<Address, Label>;
};

/** Services that pass other people's money on: whoever they are, they are not the owner of the anchor. */
const NOT_OWNERS: ReadonlySet<string> = new Set(['exchange', 'mixer', 'bridge', 'dex', 'contract']);

/**
 * All transfers of the service's other side that fit the anchor in amount and time. A swapper that moved no such amount of
 * the same asset may have paid another: then other assets are searched by their worth. Exchanges are not: of what their
 * customers convert some always fits by chance.
 */
export const findFits = async (search: Search, ask: Ask): Promise<FitsFound> => {
  const same = await sortOut(search, await readSameAsset(search, ask), ask);
  const { found, middle } = search;
  const maySwap = found.mode === 'exchange' && (middle.isOrder || isSwapper(middle.entity));
  if (!maySwap || same.read > 0) return { ...same, mode: found.mode };
  const converted = await sortOut(search, await readConverted(search, ask), ask);
  return { ...converted, complete: same.complete && converted.complete, mode: 'swap' };
};

const readSameAsset = async (search: Search, ask: Ask): Promise<FitsRead> => {
  const rows: Fit[] = [];
  let complete = true;
  for (const moved of search.anchor.moved) {
    const read = await readFits(search, moved, ask);
    complete &&= read.length < TRANSFERS_MAX;
    rows.push(...read.map((row) => ({ ...row, family: moved.family })));
  }
  return { rows, complete };
};

const sortOut = async (search: Search, read: FitsRead, ask: Ask): Promise<Omit<FitsFound, 'mode'>> => {
  const { rows, routers } = joinPassedOn(read.rows);
  const outside = rows.filter((row) => isPossible(search, row));
  const known = await findKnownOthers(search.middle, outside, ask);
  const fits = outside.filter(
    ({ counterparty }) => !known.others.has(counterparty) && !known.own.has(counterparty),
  );
  const excluded = outside.filter(({ counterparty }) => known.others.has(counterparty)).length;
  return {
    ...{ fits, excluded, read: fits.length + excluded, complete: read.complete },
    ...{ routers, labels: known.labels },
  };
};

const readFits = ({ request, middle, found, range }: Search, moved: Holding, { reader, limits }: Ask) =>
  reader.serviceTransfers({
    ...limits,
    ...range,
    ...amountRange(request, { middle, found, moved }),
    entity: middle.entity,
    direction: request.direction === 'out' ? 'out' : 'in',
    family: moved.family,
    limit: TRANSFERS_MAX,
  });

type Sought = { readonly middle: Middle; readonly found: ModeFound; readonly moved: Holding };

const amountRange = (
  { chain, direction }: Pick<TraceRequest, 'chain' | 'direction'>,
  { middle, found, moved }: Sought,
): AmountRange => {
  const { mode, denominationRaw } = found;
  const model = chooseFeeModel(chain, { entity: middle.entity, mode, family: moved.family });
  if (direction === 'out') return paidOutRange(model, denominationRaw ?? moved.amountRaw);
  if (denominationRaw !== null) return { minRaw: denominationRaw, maxRaw: denominationRaw };
  return paidInRange(model, moved.amountRaw);
};

/** Behind the anchor in the order of the chain (before it, backward), and for equal notes through the same pool. */
const isPossible = ({ request, anchor, found, pool, isPlacebo }: Search, row: Fit): boolean => {
  if (found.mode === 'fixed' && row.wallet !== pool) return false;
  if (row.counterparty === '') return false;
  if (anchor.position === null || isPlacebo) return true;
  const order = compareTransactions(row, anchor.position);
  return request.direction === 'out' ? order > 0 : order < 0;
};

const findKnownOthers = async (middle: Middle, rows: readonly Fit[], { reader, limits }: Ask) => {
  const addresses: Address[] = [...new Set(rows.map(({ counterparty }) => counterparty))];
  const [known, labels] = await Promise.all([
    askInChunks(addresses, (chunk) => reader.services({ ...limits, addresses: chunk })),
    askInChunks(addresses, (chunk) => reader.labels({ ...limits, addresses: chunk })),
  ]);
  const services = new Map(known);
  const own = new Set(addresses.filter((address) => services.get(address)?.entity === middle.entity));
  const labelled = labels.filter(([, { kind }]) => NOT_OWNERS.has(kind)).map(([address]) => address);
  const others = new Set(labelled.filter((address) => !own.has(address)));
  return { own, others, labels: new Map(labels) };
};
