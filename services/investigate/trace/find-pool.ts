import type { Address } from '../model/address.ts';
import type { TimeRange } from '../model/trace-reader.ts';
import type { TransactionRow } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import type { FoundAnchor } from './find-anchor.ts';
import { isMostOf, linkLegs, sumOf } from './link-legs.ts';
import { readHandedOn } from './read-handed-on.ts';
import type { Middle } from './resolve-middle.ts';
import type { Holding, TraceRequest } from './trace-answer.ts';

/** The wallet of the service that holds the anchor's money; `moved` is what reached or left it, several where any of them may have. */
export type Pool = { readonly address: Address; readonly moved: readonly Holding[] };

type Finding = { readonly middle: Middle; readonly anchor: FoundAnchor; readonly range: TimeRange };

/**
 * The counterparty itself, or the pool behind it where it is a mixer's router: the wallet of the same mixer with which it
 * exchanged the amount in the anchor's own transaction; less of it is a fee, which a pool pays to its treasury. In its transaction a
 * depositor may take another note out of the pool for another address of the mixer: a router is only what passes on most of what it gets.
 * Asks only where it handed the amount on.
 */
export const findPool = async (
  { chain, counterparty, direction }: TraceRequest,
  { middle, anchor, range }: Finding,
  ask: Ask,
): Promise<Pool> => {
  const [moved] = anchor.moved;
  const itself: Pool = { address: counterparty, moved: anchor.moved };
  if (middle.kind !== 'mixer' || moved === undefined) return itself;
  const { family } = moved;
  const handedOn = [...Map.groupBy(linkOwn({ counterparty, direction }, anchor, family), ({ far }) => far)]
    .map(([address, parts]) => ({ address, amountRaw: sumOf(parts) }))
    .filter(({ amountRaw }) => isMostOf(amountRaw, moved.amountRaw));
  if (handedOn.length === 0) return itself;
  const { reader, limits } = ask;
  const [services, { isRouter }] = await Promise.all([
    reader.services({ ...limits, addresses: handedOn.map(({ address }) => address) }),
    readHandedOn({ ...{ chain, range, wallet: counterparty }, ...moved }, ask),
  ]);
  const [pool] = handedOn
    .filter(({ address }) => services.get(address)?.entity === middle.entity)
    .sort((a, b) => (a.amountRaw < b.amountRaw ? 1 : -1));
  if (pool === undefined || !isRouter) return itself;
  return { address: pool.address, moved: [{ family, amountRaw: pool.amountRaw }] };
};

type Part = { readonly far: Address; readonly amountRaw: bigint };

/** With whom the counterparty exchanged how much of the wallet's own: others may use a router in the same transaction. */
const linkOwn = (
  { counterparty, direction }: Pick<TraceRequest, 'counterparty' | 'direction'>,
  { rows, passed }: FoundAnchor,
  family: string,
): Part[] => {
  const own = new Set(passed);
  const legs = rows.filter((row) => row.family === family);
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
  // What left the pool once may be paid out in several legs.
  const firsts = new Set<TransactionRow>(
    links.filter(({ second }) => own.has(second)).map(({ first }) => first),
  );
  return [...firsts].map(({ from, amountRaw }) => ({ far: from, amountRaw }));
};
