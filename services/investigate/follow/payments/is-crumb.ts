import { CRUMBS_OF_ARRIVED } from '../rules.ts';

type Sized = { readonly amountRaw: bigint };

/** Whether it says nothing of whose money moved, beside what arrived. */
export const isCrumb = ({ amountRaw }: Sized, arrivedRaw: bigint): boolean =>
  amountRaw * CRUMBS_OF_ARRIVED < arrivedRaw;
