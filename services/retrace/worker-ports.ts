import type { Result } from './result.ts';

/** An anchor as its job asked for it: a body of POST /trace. */
export type AskedAnchor = { readonly place: number; readonly anchor: Readonly<Record<string, unknown>> };

export type Anchors = readonly AskedAnchor['anchor'][];

/**
 * The results of the first of them, in their order: at least one, and no more than there is time for before it is the turn of others.
 * Takes as long as whoever asks one by one is not to notice it.
 */
export type TraceAnchors = (anchors: Anchors, signal: AbortSignal) => Promise<readonly Result[]>;

type Payment = { readonly accountId: string; readonly keyId: string };

/** How the anchors of a job are paid for: each by a call of its own. */
export type JobLedger = {
  /** For how many anchors the key can pay now, and why for no more. */
  affordable(payment: Payment): { readonly anchors: number; readonly reason: string };
  /** Where the account's calls will stand that begin from now on. */
  offset(accountId: string): Promise<number>;
  /** The ids, of those that begin with this text, of calls that were posted from the offset on. */
  findPosted(accountId: string, offset: number, prefix: string): Promise<ReadonlySet<string>>;
  /**
   * Takes one place of the account at a time, also where many are asked for at once. May be called again with the same call.
   * `refused`: this call will never be posted, unless it was before. Throws where the ledger does not answer.
   */
  charge(
    call: Payment & { readonly callId: string; readonly deadlineUnixMs: number },
  ): Promise<'charged' | 'refused'>;
};
