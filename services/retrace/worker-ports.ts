import type { Result } from './result.ts';

/** An anchor as submitted: a body of POST /trace. */
export type AskedAnchor = { readonly place: number; readonly anchor: Readonly<Record<string, unknown>> };

export type Anchors = readonly AskedAnchor['anchor'][];

/**
 * Traces the first of the anchors and returns their results in order: at least one, and as many as its time
 * slice allows. Slows down so that interactive callers do not notice.
 */
export type TraceAnchors = (anchors: Anchors, signal: AbortSignal) => Promise<readonly Result[]>;

type Payment = { readonly accountId: string; readonly keyId: string };

/** How a job's anchors are paid for: each by its own call. */
export type JobLedger = {
  /** How many anchors the key can pay for now, and why not more. */
  affordable(payment: Payment): { readonly anchors: number; readonly reason: string };
  /** The log offset from which on the account's calls appear that begin now. */
  offset(accountId: string): Promise<number>;
  /** The ids with this prefix of calls that were posted from the offset on. */
  findPosted(accountId: string, offset: number, prefix: string): Promise<ReadonlySet<string>>;
  /**
   * Uses one of the account's places at a time, even for many calls. May be repeated with the same call.
   * `refused`: this call will never be posted, unless it was before. Throws when the ledger does not answer.
   */
  charge(
    call: Payment & { readonly callId: string; readonly deadlineUnixMs: number },
  ): Promise<'charged' | 'refused'>;
};
