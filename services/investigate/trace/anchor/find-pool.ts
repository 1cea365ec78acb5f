import type { Address } from '../../model/address.ts';
import { largestFirst, sumOf } from '../../model/amount.ts';
import type { TimeRange } from '../../model/trace-reader.ts';
import type { TransactionRow } from '../../model/transfer-reader.ts';
import { isStray } from '../dust.ts';
import { isMostOf, linkLegs } from '../link-legs.ts';
import type { QueryContext } from '../query-context.ts';
import { findWalletsOf } from '../read-services.ts';
import type { Intermediary } from '../resolve-intermediary.ts';
import type { Holding, LeftOut, TraceRequest } from '../trace-answer.ts';
import type { FoundAnchor } from './find-anchor.ts';
import { judgeRouter } from './judge-router.ts';

/**
 * The service's wallet that holds the anchor's money. `moved` is the amount that reached or left it, with
 * several values when any of them is possible. `leftOut` is what the wallet moved to other pools in the same
 * transaction.
 */
export type Pool = {
  readonly address: Address;
  readonly moved: readonly Holding[];
  readonly leftOut: readonly LeftOut[];
};

type Finding = {
  readonly intermediary: Intermediary;
  readonly anchor: FoundAnchor;
  readonly range: TimeRange;
};

/**
 * Finds the pool: the counterparty itself, or, for a mixer's router, the wallet of the same mixer with which
 * the router exchanged the amount in the anchor's transaction. A smaller amount is a fee, which a pool pays
 * to its treasury. A depositor may take another note out of the pool for another address of the mixer in the
 * same transaction, so a wallet counts as a router only if it passes on most of what it receives. When the
 * transaction is not indexed, it is the pool with which a router recently exchanged such amounts.
 */
export const findPool = async (
  request: TraceRequest,
  finding: Finding,
  context: QueryContext,
): Promise<Pool> => {
  const { intermediary, anchor } = finding;
  const [moved, another] = anchor.moved;
  const itself: Pool = { address: request.counterparty, moved: anchor.moved, leftOut: [] };
  if (intermediary.kind !== 'mixer' || moved === undefined || another !== undefined) return itself;
  const find = anchor.verified ? findOfTransaction : findUsual;
  return (await find(request, { ...finding, moved }, context)) ?? itself;
};

/** Queries only when the counterparty passed the amount on. */
const findOfTransaction = async (
  { chain, counterparty, direction }: TraceRequest,
  { intermediary, anchor, range, moved }: Finding & { readonly moved: Holding },
  context: QueryContext,
): Promise<Pool | null> => {
  const { canonicalAsset } = moved;
  const handedOn = [
    ...Map.groupBy(linkOwn({ counterparty, direction }, anchor, canonicalAsset), ({ far }) => far),
  ]
    .map(([address, parts]) => ({ address, canonicalAsset, amountRaw: sumOf(parts) }))
    .sort(largestFirst);
  const isMost = ({ amountRaw }: Holding): boolean => isMostOf(amountRaw, moved.amountRaw);
  if (!handedOn.some(isMost)) return null;
  const [isOwn, { isRouter }] = await Promise.all([
    findWalletsOf(
      intermediary,
      handedOn.map(({ address }) => address),
      context,
    ),
    judgeRouter({ chain, range, wallet: counterparty, ...moved }, context),
  ]);
  const [pool, ...others] = handedOn.filter(({ address }) => isOwn(address));
  if (pool === undefined || !isMost(pool) || isRouter === false) return null;
  // A small amount beside it is a fee.
  const leftOut = others
    .filter(({ amountRaw }) => !isStray(amountRaw, moved.amountRaw))
    .map(({ address, ...other }) => ({ ...other, counterparty: address }));
  return { address: pool.address, moved: [{ canonicalAsset, amountRaw: pool.amountRaw }], leftOut };
};

/**
 * An amount that no other sender used recently identifies a pool only when the router leads to a single pool.
 */
const findUsual = async (
  { chain, counterparty, direction }: TraceRequest,
  { intermediary, range, moved }: Finding & { readonly moved: Holding },
  context: QueryContext,
): Promise<Pool | null> => {
  const asked = { chain, range, wallet: counterparty, ...moved };
  const { isRouter, passages } = await judgeRouter(asked, context);
  if (isRouter !== true) return null;
  const isForward = direction === 'out';
  const alike = passages.filter(({ gotRaw, gaveRaw }) => (isForward ? gotRaw : gaveRaw) === moved.amountRaw);
  const ends = (alike.length > 0 ? alike : passages)
    .flatMap(({ legs }) => legs.filter(({ isIn }) => isIn !== isForward))
    .map((leg) => leg.counterparty);
  const isOwn = await findWalletsOf(intermediary, ends, context);
  const [usual, another] = [...Map.groupBy(ends.filter(isOwn), (address) => address)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  if (usual === undefined || (alike.length === 0 && another !== undefined)) return null;
  return { address: usual[0], moved: [moved], leftOut: [] };
};

type Part = { readonly far: Address; readonly amountRaw: bigint };

/**
 * The wallets with which the counterparty exchanged the traced wallet's money, and how much. Others may use a
 * router in the same transaction.
 */
const linkOwn = (
  { counterparty, direction }: Pick<TraceRequest, 'counterparty' | 'direction'>,
  { rows, passed }: FoundAnchor,
  canonicalAsset: string,
): Part[] => {
  const own = new Set(passed);
  const legs = rows.filter((row) => row.canonicalAsset === canonicalAsset);
  const links = linkLegs(
    legs.filter(({ to }) => to === counterparty),
    legs.filter(({ from }) => from === counterparty),
  );
  if (direction === 'out')
    return links
      .filter(({ first }) => own.has(first))
      .map(({ first, second, isBatch }) => ({
        far: second.to,
        amountRaw: (isBatch ? first : second).amountRaw,
      }));
  // One withdrawal from the pool may be paid out in several legs.
  const firsts = new Set<TransactionRow>(
    links.filter(({ second }) => own.has(second)).map(({ first }) => first),
  );
  return [...firsts].map(({ from, amountRaw }) => ({ far: from, amountRaw }));
};
