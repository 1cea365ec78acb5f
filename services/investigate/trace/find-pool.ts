import type { Address } from '../model/address.ts';
import type { Ask } from './ask.ts';
import type { FoundAnchor } from './find-anchor.ts';
import type { Middle } from './resolve-middle.ts';
import type { Holding, TraceRequest } from './trace-answer.ts';

/** The wallet of the service that holds the anchor's money; `moved` is what reached or left it, several where any of them may have. */
export type Pool = { readonly address: Address; readonly moved: readonly Holding[] };

/**
 * The counterparty itself, or the pool behind it where it is a mixer's router: the wallet of the same mixer with which it
 * exchanged the amount in the anchor's own transaction; less of it is a fee, which a pool pays to its treasury. Asks only where it
 * handed the amount on.
 */
export const findPool = async (
  { counterparty, direction }: TraceRequest,
  { middle, anchor }: { readonly middle: Middle; readonly anchor: FoundAnchor },
  { reader, limits }: Ask,
): Promise<Pool> => {
  const [moved] = anchor.moved;
  const itself: Pool = { address: counterparty, moved: anchor.moved };
  if (middle.kind !== 'mixer' || moved === undefined) return itself;
  const sums = new Map<Address, bigint>();
  for (const { from, to, family, amountRaw } of anchor.rows) {
    const [near, far] = direction === 'out' ? [from, to] : [to, from];
    if (near === counterparty && family === moved.family) sums.set(far, (sums.get(far) ?? 0n) + amountRaw);
  }
  const handedOn = [...sums].filter(([, sumRaw]) => isMostOf(sumRaw, moved.amountRaw));
  if (handedOn.length === 0) return itself;
  const services = await reader.services({ ...limits, addresses: handedOn.map(([address]) => address) });
  const [pool] = handedOn
    .filter(([address]) => services.get(address)?.entity === middle.entity)
    .sort(([, a], [, b]) => (a < b ? 1 : -1));
  return pool === undefined
    ? itself
    : { address: pool[0], moved: [{ family: moved.family, amountRaw: pool[1] }] };
};

/** A router keeps less than a half. */
export const isMostOf = (partRaw: bigint, amountRaw: bigint): boolean => partRaw * 2n > amountRaw;
