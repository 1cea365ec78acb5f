import type { BlockHead } from '../../events/block-head.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';

/** A record as the planner needs it. */
export type PlannedRecord = {
  readonly offset: number;
  /** When it was appended; the same for all records of one append. */
  readonly timeUnixMs: number;
} & (PartRecord | TransactionRecord | RetractionRecord | RefusedRecord);

/** A part of a block. */
type PartRecord = Only<
  'head',
  {
    readonly head: BlockHead;
    readonly sequence: number;
    readonly movements: number;
    /** Position in `CONTROL_COVERAGES`. */
    readonly keepsControl: number;
    /** Whether it contains a transaction with this hash. */
    readonly lists: (hash: string) => boolean;
  }
>;
/** A transaction without its block. */
type TransactionRecord = Only<
  'transaction',
  { readonly transaction: LoneTransaction; readonly sequence: number }
>;
/** The sequences of the events that it retracts, and their block. */
type RetractionRecord = Only<
  'retracts',
  { readonly retracts: readonly number[]; readonly abandoned: BlockName }
>;
/** Why it can never be stored. */
type RefusedRecord = Only<'refused', { readonly refused: string }>;

type Only<Kind extends string, T> = T & {
  readonly [other in Exclude<'head' | 'transaction' | 'retracts' | 'refused', Kind>]?: undefined;
};

export type PlannedPart = Extract<PlannedRecord, { readonly head: BlockHead }>;
export type PlannedRetraction = Extract<PlannedRecord, { readonly abandoned: BlockName }>;
export type PlannedTransaction = Extract<PlannedRecord, { readonly transaction: LoneTransaction }>;

/** One height of a chain, on any branch. */
export type BlockPlace = Pick<BlockHead, 'chain' | 'blockNumber'>;

/** A block, in any of its copies. */
export type BlockName = Pick<BlockHead, 'chain' | 'blockNumber' | 'blockHash'>;

/** A part of a block that the tables show, and the sequence of its event. */
export type StoredPart = Pick<BlockHead, 'blockHash' | 'part' | 'parts'> & {
  readonly movements: number;
  readonly keepsControl: number;
  readonly sequence: number;
};

/** A transaction that the tables show without its block. */
export type StoredTransaction = { readonly hash: string; readonly sequence: number };

/** The rows that the tables show at some places. */
export type Shown = {
  partsAt(place: BlockPlace): readonly StoredPart[];
  aloneAt(place: BlockPlace): readonly StoredTransaction[];
  /** Whether the block is final although the stored copy is the head's. */
  isKeptFinal(block: BlockName): boolean;
};

export const placeKey = ({ chain, blockNumber }: BlockPlace): string => `${chain}/${blockNumber}`;
export const blockKey = (block: BlockName): string => `${placeKey(block)}/${block.blockHash}`;
