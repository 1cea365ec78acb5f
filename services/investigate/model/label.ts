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

/** Kinds of parties that pass on other people's money: a payment by them does not name the payer. */
const PASSING_KINDS = ['exchange', 'bridge', 'mixer', 'dex', 'contract'] as const satisfies LabelKind[];
export type PassingKind = (typeof PASSING_KINDS)[number];

/** Who a known address is. */
export type Label = {
  readonly name: string;
  readonly kind: LabelKind;
  /** What else it is, where a kind is shown that says nothing of whose money moves there: a sanctioned exchange. */
  readonly passing?: PassingKind;
};

export const isPassing = (kind: LabelKind): kind is PassingKind =>
  (PASSING_KINDS as readonly LabelKind[]).includes(kind);

export const passingKind = ({ kind, passing }: Label): PassingKind | null =>
  isPassing(kind) ? kind : (passing ?? null);

/** Whether money that it got is its own, so that no trail goes on through it. */
export const isService = (label: Label | null | undefined): boolean =>
  ['exchange', 'bridge', 'mixer'].includes((label && passingKind(label)) ?? '');

/** Whether it got and gave other people's money. True of a pool as well, though no trail ends there. */
export const isTill = (label: Label | null): boolean =>
  isService(label) || (label !== null && passingKind(label) === 'dex');

/** In names of lists, whatever the case: a customer's own address at an exchange. */
export const DEPOSIT_NAME = '(^|[^a-z])dep(osit)?([^a-z]|$)';
const DEPOSIT = new RegExp(DEPOSIT_NAME, 'i');

/** Whether it is one customer's address at an exchange, rather than one that all its customers share. */
export const isDepositAddress = (label: Label): boolean =>
  passingKind(label) === 'exchange' && DEPOSIT.test(label.name);

/** One source's word on an address, as the log and the tables keep it. Times are unix seconds. */
export type AssertedLabel = Omit<Label, 'passing'> & {
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
