import { DUST_OF_ARRIVED, PARTS, PASSAGE_FEE_MAX_PARTS } from '../rules.ts';

type Sized = { readonly amountRaw: bigint };

/** Whether it says nothing of whose money moved, beside what arrived. */
export const isDust = ({ amountRaw }: Sized, arrivedRaw: bigint): boolean =>
  amountRaw * DUST_OF_ARRIVED < arrivedRaw;

/**
 * Whether what left is what arrived, but for what is kept of money that passes through. Backward, what "left" is what had come
 * before the other went.
 */
export const equalsWithinFee = (leftRaw: bigint, arrivedRaw: bigint, backward: boolean): boolean => {
  const [paidRaw, cameRaw] = backward ? [arrivedRaw, leftRaw] : [leftRaw, arrivedRaw];
  return paidRaw <= cameRaw && paidRaw * PARTS >= cameRaw * (PARTS - PASSAGE_FEE_MAX_PARTS);
};
