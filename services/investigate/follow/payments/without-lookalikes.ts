import type { Address } from '../../model/address.ts';
import { LOOKALIKE_DUST_PARTS, LOOKALIKE_PREFIX, LOOKALIKE_SUFFIX, PARTS } from '../rules.ts';

type Paid = { readonly address: Address; readonly amountRaw: bigint };

/**
 * Leaves out dust that went to an address made to look like one the same wallet paid in earnest. A real sum sent to a
 * look-alike stays: that is the theft.
 */
export const withoutLookalikes = <T extends Paid>(destinations: readonly T[]): readonly T[] => {
  const mostByLook = new Map<string, bigint>();
  for (const { address, amountRaw } of destinations) {
    const look = lookOf(address);
    const most = mostByLook.get(look);
    if (most === undefined || amountRaw > most) mostByLook.set(look, amountRaw);
  }
  return destinations.filter(({ address, amountRaw }) => {
    const most = mostByLook.get(lookOf(address)) ?? 0n;
    return amountRaw * PARTS > most * LOOKALIKE_DUST_PARTS;
  });
};

/** What a person sees of an abbreviated address. */
const lookOf = (address: Address): string => {
  const shown = address.startsWith('0x') ? address.slice(2) : address;
  return `${shown.slice(0, LOOKALIKE_PREFIX)}…${shown.slice(-LOOKALIKE_SUFFIX)}`;
};
