import type { Address } from '../../services/investigate/model/address.ts';
import type { FollowCase } from './follow-case.ts';

/** Wallets that the money could reach in time order. */
export const reachableInTime = ({ transfers, starts }: FollowCase): ReadonlySet<Address> => {
  const reached = new Set(starts.map(({ address }) => address));
  for (const { from, to } of transfers) if (reached.has(from)) reached.add(to);
  return reached;
};
