import { SourceError } from '../../nodes/source-error.ts';
import type { SolanaRpcFailure } from './solana-rpc.ts';

/** What a node's error about a slot means, by Solana's RPC codes, which never change. */
export const MEANING = new Map<number, 'not_yet' | 'maybe_skipped' | 'gone' | 'transient'>([
  // The ledger is pruned below this slot, or the node keeps no history.
  [-32_001, 'gone'],
  [-32_011, 'gone'],
  // Block not available for the slot, status not yet available, minimum context slot not reached.
  [-32_004, 'not_yet'],
  [-32_014, 'not_yet'],
  [-32_016, 'not_yet'],
  // "Skipped, or missing": nodes that started from a snapshot, or archives with holes, say the same.
  [-32_007, 'maybe_skipped'],
  [-32_009, 'maybe_skipped'],
  // The node is behind, the rate is limited, or an internal error.
  [-32_005, 'transient'],
  [429, 'transient'],
  [-32_603, 'transient'],
]);

/** A node's error, by what can be done about it. */
export const toSourceError = ({ code, message }: SolanaRpcFailure): SourceError => {
  const meaning = MEANING.get(code);
  if (code === 429) return new SourceError('rate_limited', message, { transient: true });
  if (meaning === 'gone') return new SourceError('block_unavailable', message, { transient: false });
  // A slot reported as skipped by one answer and needed by another is settled by the next attempt.
  return new SourceError('rpc_error', message, { transient: meaning !== undefined });
};
