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
  /** A second kind, when the first does not say whose money moves there: a sanctioned exchange. */
  readonly passing?: PassingKind;
};

export const isPassing = (kind: LabelKind): kind is PassingKind =>
  (PASSING_KINDS as readonly LabelKind[]).includes(kind);

export const passingKind = ({ kind, passing }: Label): PassingKind | null =>
  isPassing(kind) ? kind : (passing ?? null);

/** Whether its money is its own, so that a trail ends there. */
export const isService = (label: Label | null | undefined): boolean =>
  ['exchange', 'bridge', 'mixer'].includes((label && passingKind(label)) ?? '');

/** Whether it received and paid other people's money. Also true of a pool, though no trail ends there. */
export const isTill = (label: Label | null): boolean =>
  isService(label) || (label !== null && passingKind(label) === 'dex');

/** How lists name a customer's own address at an exchange, in any case. */
export const DEPOSIT_NAME = '(^|[^a-z])dep(osit)?([^a-z]|$)';
const DEPOSIT = new RegExp(DEPOSIT_NAME, 'i');

/** Whether it is one customer's address at an exchange, rather than one that all its customers share. */
export const isDepositAddress = (label: Label): boolean =>
  passingKind(label) === 'exchange' && DEPOSIT.test(label.name);

/** One source's label of an address, as the log and the tables store it. Times are unix seconds. */
export type AssertedLabel = Omit<Label, 'passing'> & {
  readonly chain: string;
  /** As tables hold it. */
  readonly address: string;
  /** The same identifier for all addresses of one party; empty when unknown. */
  readonly entity: string;
  /** The source's own wording; empty when it has none. */
  readonly category: string;
  readonly source: string;
  readonly creator: string;
  /** From 0 to 1. */
  readonly confidence: number;
  /** null: since always. */
  readonly validFrom: number | null;
  /** The first second from which it was no longer true; null while it is true. */
  readonly validTo: number | null;
  /** The address that this label was derived from. */
  readonly inheritedFrom: string | null;
  /** Where it can be checked; empty when the source gives no link. */
  readonly evidence: string;
  readonly assertedAt: number;
};
