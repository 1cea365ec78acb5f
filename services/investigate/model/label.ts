export const LABEL_KINDS = [
  'exchange',
  'bridge',
  'mixer',
  'dex',
  'contract',
  'sanctioned',
  'hack',
  'other',
] as const;

export type LabelKind = (typeof LABEL_KINDS)[number];

/** Who a known address is. */
export type Label = { readonly name: string; readonly kind: LabelKind };

/** One source's word on an address, as the log and the tables keep it. Times are unix seconds. */
export type AssertedLabel = Label & {
  readonly chain: string;
  /** As tables hold it. */
  readonly address: string;
  /** The same word for all addresses of one party; empty where not known. */
  readonly entity: string;
  /** The source's own word; empty where it has none. */
  readonly category: string;
  readonly source: string;
  readonly creator: string;
  /** From 0 to 1. */
  readonly confidence: number;
  /** null: it has always been so. */
  readonly validFrom: number | null;
  /** The first second at which it was so no more; null while it is so. */
  readonly validTo: number | null;
  /** The address whose label this one follows from. */
  readonly inheritedFrom: string | null;
  /** Where it can be checked; empty where the source gives nothing. */
  readonly evidence: string;
  readonly assertedAt: number;
};
