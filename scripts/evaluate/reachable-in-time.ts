import type { Address } from '../../services/investigate/model/address.ts';
import type { FollowCase } from './follow-case.ts';

/** Whom the money could reach, in the order of time. */
export const reachableInTime = ({ transfers, starts }: FollowCase): ReadonlySet<Address> => {
  const reached = new Set(starts.map(({ address }) => address));
  for (const { from, to } of transfers) if (reached.has(from)) reached.add(to);
  return reached;
};
