import { malformed } from '../../nodes/decode-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type { AskJson } from './ask-node.ts';

/** Any signature of a slot tells a node where to begin its list, whatever account it names. */
export type Anchor = { readonly slot: number; readonly signature: string };

/** Windows end at multiples of this, about an hour, so that all wallets share the anchors there. */
export const ANCHOR_SLOTS = 9_000;
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** Slots in which a probe must find something: the program is in every block. */
const PROBE_SLOTS = 10_000;
const OPTIONS = {
  ...{ commitment: 'finalized', transactionDetails: 'signatures', rewards: false },
  maxSupportedTransactionVersion: 0,
};
const ANCHORS_MAX = 10_000;

export type Anchors = {
  /** The first at or after a slot; null if none is below `head`, or the node does not begin at foreign signatures. */
  at(slot: number, head: number, signal: AbortSignal): Promise<Anchor | null>;
  /** Whether the node begins its lists at signatures that do not name the account; asked once. */
  areHonoured(head: number, signal: AbortSignal): Promise<boolean>;
};

export const createAnchors = (ask: AskJson): Anchors => {
  const known = new Map<number, Anchor>();
  let honoured: boolean | null = null;

  /** Some archives answer `[]` for a signature that does not name the account, others begin at the newest. */
  const isHonoured = async (anchor: Anchor, signal: AbortSignal): Promise<boolean> => {
    const options = { commitment: 'finalized', limit: 10, before: anchor.signature };
    const rows = await ask('getSignaturesForAddress', [TOKEN_PROGRAM, options], signal);
    if (!Array.isArray(rows) || rows.length === 0) return false;
    return rows.every((row: { slot?: unknown } | null) => Number(row?.slot) <= anchor.slot);
  };

  const find = async (slot: number, signal: AbortSignal): Promise<Anchor | null> => {
    const before = known.get(slot);
    if (before) return before;
    const blocks = await ask('getBlocksWithLimit', [slot, 1, { commitment: 'finalized' }], signal);
    const [found] = Array.isArray(blocks) ? blocks : [];
    if (typeof found !== 'number') return null;
    const block = await ask('getBlock', [found, OPTIONS], signal);
    const { signatures } = (block ?? {}) as { signatures?: unknown };
    if (!Array.isArray(signatures)) throw malformed('getBlock gave no list of signatures');
    const signature: unknown = signatures.at(-1);
    if (typeof signature !== 'string') return null;
    const anchor = { slot: found, signature };
    // One gateway has many nodes behind it: each anchor is tried before an empty list is believed.
    honoured = await isHonoured(anchor, signal);
    if (!honoured) return null;
    known.set(slot, anchor);
    const [oldest] = known.keys();
    if (known.size > ANCHORS_MAX && oldest !== undefined) known.delete(oldest);
    return anchor;
  };

  const areHonoured: Anchors['areHonoured'] = async (head, signal) => {
    if (honoured !== null) return honoured;
    try {
      honoured = (await find(Math.max(0, head - PROBE_SLOTS), signal)) !== null;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      // A node that cannot give an old block has no anchors. One that fails for now is asked again next time.
      if (!error.transient) honoured = false;
    }
    return honoured ?? false;
  };

  return {
    areHonoured,
    at: async (slot, head, signal) =>
      slot < head && (await areHonoured(head, signal)) ? find(slot, signal) : null,
  };
};
