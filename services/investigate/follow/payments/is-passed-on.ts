import { PARTS, PASSAGE_FEE_MAX_PARTS } from '../rules.ts';

/**
 * Whether what left is what arrived, but for what is kept of money that passes through. Backward, what "left" is what had come
 * before the other went.
 */
export const isPassedOn = (leftRaw: bigint, arrivedRaw: bigint, backward: boolean): boolean => {
  const [paidRaw, cameRaw] = backward ? [arrivedRaw, leftRaw] : [leftRaw, arrivedRaw];
  return paidRaw <= cameRaw && paidRaw * PARTS >= cameRaw * (PARTS - PASSAGE_FEE_MAX_PARTS);
};
