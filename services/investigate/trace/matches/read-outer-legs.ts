import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import { isMostOf, legsKey, linkLegs } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { readRows } from '../read-rows.ts';
import type { MatchesRead, MatchingTransfer, Search } from '../search.ts';
import type { TraceRequest } from '../trace-answer.ts';
import type { PassedOn } from './join-passed-on.ts';
import { ROUTED_MAX } from './look-behind-routers.ts';

/**
 * Finds who paid (or was paid by) a router of the mixer when the amount between router and pool (`inner`) was
 * different: several notes at once, or one plus the router's fee. Uses the rows of the transactions, as
 * `joinPassedOn` does. Queries only for pools of notes, and only when something passed this way. `isAmount`:
 * whether a note can have this amount at the outer end.
 */
export const readOuterLegs = async (
  { request, found }: Search,
  {
    inner,
    isAmount,
  }: { readonly inner: readonly MatchingTransfer[]; readonly isAmount: (match: MatchingTransfer) => boolean },
  context: QueryContext,
): Promise<MatchesRead & Pick<PassedOn, 'routers'>> => {
  if (found.mode !== 'fixed') return { rows: [], complete: true, routers: new Set() };
  const looked = inner.slice(0, ROUTED_MAX);
  const canonicalAssets = [...new Set(looked.map(({ canonicalAsset }) => canonicalAsset))];
  const { rows, complete } = await readRows(looked, canonicalAssets, context);
  const byPlace = Map.groupBy(rows, legsKey);
  const routers = new Set<Address>();
  const matches = [...Map.groupBy(looked, legsKey)].flatMap(([place, ofTransaction]) =>
    [...Map.groupBy(ofTransaction, ({ counterparty }) => counterparty)].flatMap(([router, through]) => {
      const outer = linkOuter(byPlace.get(place) ?? [], { router, through }, request).filter(isAmount);
      if (outer.length > 0) routers.add(router);
      return outer;
    }),
  );
  return { rows: matches, complete: complete && looked.length === inner.length, routers };
};

/** The legs that passed through one router in one transaction, each with the wallet at its outer end. */
const linkOuter = (
  rows: readonly TransactionRow[],
  { router, through }: { readonly router: Address; readonly through: readonly MatchingTransfer[] },
  { direction }: Pick<TraceRequest, 'direction'>,
): MatchingTransfer[] => {
  const firsts = rows.filter(({ to }) => to === router);
  const seconds = rows.filter(({ from }) => from === router);
  if (!isMostOf(sumOf(seconds), sumOf(firsts))) return [];
  const left = [...through];
  return linkLegs(firsts, seconds).flatMap(({ first, second, isBatch }) => {
    const ends =
      direction === 'in' ? { pool: second.to, other: first.from } : { pool: first.from, other: second.to };
    const innerRaw = (direction === 'in' ? second : first).amountRaw;
    const at = left.findIndex(({ wallet, amountRaw }) => wallet === ends.pool && amountRaw === innerRaw);
    const [match] = at < 0 ? [] : left.splice(at, 1);
    const { amountRaw } = isBatch ? first : second;
    return match === undefined ? [] : [{ ...match, counterparty: ends.other, amountRaw }];
  });
};
