import { SourceError } from '../../nodes/source-error.ts';
import { NEWEST_VERSION } from '../../solana/encoding/known-version.ts';
import type { ListedTransaction } from '../history-source.ts';
import type { AskJson } from './ask-node.ts';

/** A block has some thousand signatures of 88 characters. */
const SLOTS_MAX = 64;
const OPTIONS = {
  ...{ commitment: 'finalized', transactionDetails: 'signatures', rewards: false },
  maxSupportedTransactionVersion: NEWEST_VERSION,
};

/** The index of a transaction in its slot; null if the node no longer has the block. Throws `SourceError`. */
export type PlaceOf = (listed: ListedTransaction, signal: AbortSignal) => Promise<number | null>;

/**
 * Money that came and left in one slot left after it came, so the index must be known. Newer nodes list it with each
 * signature; others tell the signatures of a block in their order, once for all transactions of a slot.
 */
export const createSlotPlaces = (ask: AskJson): PlaceOf => {
  const known = new Map<number, Promise<readonly unknown[]>>();
  const fetch = async (slot: number, signal: AbortSignal): Promise<readonly unknown[]> => {
    try {
      const block = await ask('getBlock', [slot, OPTIONS], signal);
      const { signatures } = (block ?? {}) as { signatures?: unknown };
      return Array.isArray(signatures) ? signatures : [];
    } catch (error) {
      // A node may keep transactions of which it no longer has the block.
      if (error instanceof SourceError && !error.transient) return [];
      throw error;
    }
  };
  const signaturesOf = async (slot: number, signal: AbortSignal): Promise<readonly unknown[]> => {
    // A caller that left must not fail the others, so what failed is asked for again.
    const before = await known.get(slot)?.catch(() => null);
    if (before) return before;
    const pending = fetch(slot, signal);
    known.delete(slot);
    known.set(slot, pending);
    const [oldest] = known.keys();
    if (known.size > SLOTS_MAX && oldest !== undefined) known.delete(oldest);
    return pending.catch((error: unknown) => {
      known.delete(slot);
      throw error;
    });
  };
  return async ({ id, block, index }, signal) => {
    if (index !== undefined) return index;
    const at = (await signaturesOf(block, signal)).indexOf(id);
    return at === -1 ? null : at;
  };
};
