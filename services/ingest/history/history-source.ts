import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { HistoryKind, Window } from '../../investigate/model/history.ts';

/** Which transactions of an address are to be listed. Only final ones are. */
export type ListQuestion = Window & {
  readonly address: string;
  readonly kinds: readonly HistoryKind[];
  /** Only transfers of this asset; null: of all. */
  readonly asset: string | null;
  readonly order: 'oldest' | 'newest';
};

/** A transaction's hash or signature, and its block or slot. */
export type ListedTransaction = {
  readonly id: string;
  readonly block: number;
  /** In its block, where the list tells it. */
  readonly index?: number;
};

/** A part of the window that was looked at, in the question's order. */
export type HistoryPage = Window & {
  readonly listed: readonly ListedTransaction[];
  /** The kinds that the list holds. */
  readonly covers: readonly HistoryKind[];
  /** Kinds of which something is known to be missing, and why. */
  readonly lacks?: Partial<Record<HistoryKind, string>>;
};

/** What a source offers, as probed. */
export type Offers = {
  readonly kinds: readonly HistoryKind[];
  /** Methods or tables that it has, for operators. */
  readonly has: readonly string[];
  /** Blocks in one question, if it has a limit that is known. */
  readonly spanMax: number | null;
};

/** Somebody who lists transactions of an address. Nothing is believed: each is decoded from a node. */
export type HistorySource = {
  /** Such as `evm-node`. */
  readonly name: string;
  /** Whether it is one of the chain's nodes, which keep the states beside their lists. Whoever else lists can leave out. */
  readonly isNode?: boolean;
  /** Asks once what the source can do; later calls answer the same. Throws `SourceError`. */
  probe(signal: AbortSignal): Promise<Offers>;
  /** Throws `SourceError`, or the signal's reason. */
  list(question: ListQuestion, signal: AbortSignal): AsyncGenerator<HistoryPage>;
};

/** A transaction as its node tells it. */
export type DecodedTransaction = {
  /** Reduced to the transaction; null if it moved nothing, or cannot be read. */
  readonly block: DecodedBlock | null;
  /** Who signed it; null if that is not known. */
  readonly sender: string | null;
  /** Whether it names the address anywhere. */
  names(address: string): boolean;
  /** Why a part of it is unknown; null if nothing is. */
  readonly lacks: 'calls' | 'version' | 'pruned' | null;
};

export type ProofQuestion = Window & {
  readonly address: string;
  /** What somebody wants to know. */
  readonly wanted: readonly HistoryKind[];
  /** What nodes themselves listed of the whole window. */
  readonly listedByNode: readonly HistoryKind[];
  /** Those of the window that were decoded, in any order. */
  readonly transactions: readonly DecodedTransaction[];
};

/** The nodes of a chain: they decode what others list, and prove windows. */
export type HistoryNode = {
  readonly chain: string;
  /** The newest final place. */
  head(signal: AbortSignal): Promise<{ readonly place: number; readonly unixSeconds: number | null }>;
  /** Whether the address has ever been used, if that is cheaper than reading it. */
  isUsed?(address: string, signal: AbortSignal): Promise<boolean>;
  decode(listed: ListedTransaction, signal: AbortSignal): Promise<DecodedTransaction>;
  /** Kinds of which nothing can be missing. Empty if the node cannot tell. */
  prove(question: ProofQuestion, signal: AbortSignal): Promise<readonly HistoryKind[]>;
};
