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
