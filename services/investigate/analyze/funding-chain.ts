import type { Address } from '../model/address.ts';
import type { Label } from '../model/label.ts';
import type { Funding } from '../model/profile-reader.ts';

export type FundingStep = Funding & { readonly wallet: Address; readonly label: Label | null };

/** Why the chain of first funders ends. */
export type FundingEnd = 'service' | 'labelled' | 'unknown' | 'unread' | 'steps' | 'loop';

export type FundingChain = {
  readonly steps: readonly FundingStep[];
  readonly end: FundingEnd;
  /** Which blocks show it, as a sentence, where earlier payments may be missing; null: the histories are whole. */
  readonly seenIn: string | null;
};
