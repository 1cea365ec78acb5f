import type { DecodedBlock } from '../investigate/model/block.ts';

/**
 * - `block`: the block, decoded by its chain family
 * - `skipped`: the chain made no block of this number and never will (a Solana slot that a later block jumps over)
 * - `not_yet`: nothing is known of this number yet; ask again later
 */
export type FetchResult =
  | { readonly status: 'block'; readonly decoded: DecodedBlock }
  | { readonly status: 'skipped' }
  | { readonly status: 'not_yet' };

/** Where a chain's blocks come from. Transient failures are retried inside; what is thrown has been retried already. */
export type BlockSource = {
  readonly chain: string;
  /** The newest number (slot or block) the source knows. Throws `SourceError`, or the signal's reason. */
  head(signal: AbortSignal): Promise<number>;
  /** Throws `SourceError`, `BlockFormatError` where the answer is no block, or the signal's reason. */
  fetch(number: number, signal: AbortSignal): Promise<FetchResult>;
};

/**
 * A source could not answer. Its message never holds the node's address: addresses of paid nodes carry their key.
 *
 * Codes: `unreachable` (no answer, time-out), `rate_limited`, `http_status`, `rpc_error`, `answer_too_large`,
 * `not_json`, `block_unavailable` (the node has pruned it, or does not serve it).
 */
export class SourceError extends Error {
  readonly code: string;
  /** Whether asking again later can help. */
  readonly transient: boolean;
  /** What the node asked for in `Retry-After`, if it did. */
  readonly retryAfterMs: number | null;

  constructor(
    code: string,
    message: string,
    { transient = false, retryAfterMs = null }: { transient?: boolean; retryAfterMs?: number | null } = {},
  ) {
    super(message);
    this.name = 'SourceError';
    this.code = code;
    this.transient = transient;
    this.retryAfterMs = retryAfterMs;
  }
}
