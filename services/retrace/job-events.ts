/** A record of `retrace.results`, and the anchors in it. */
export type Piece = {
  readonly partition: number;
  readonly offset: number;
  /** Index of its first anchor, from 0. */
  readonly first: number;
  readonly count: number;
};

/** The events of a job, in the past tense. The Avro schema describes each field. */
export type JobEvent =
  | {
      readonly type: 'JobAsked';
      readonly keyId: string;
      readonly requestHash: string;
      readonly anchors: number;
      readonly everySeconds: number;
      readonly pieces: readonly Piece[];
    }
  | { readonly type: 'JobCancelled' }
  | { readonly type: 'RunBegun'; readonly run: number }
  | {
      readonly type: 'WaveTraced';
      readonly run: number;
      readonly first: number;
      readonly count: number;
      readonly pieces: readonly Piece[];
      readonly changes: readonly Piece[];
      readonly priced: readonly number[];
      readonly refused: number;
      readonly deadlineUnixMs: number;
      readonly ledgerOffset: number;
    }
  | {
      readonly type: 'ChargeBegun';
      readonly run: number;
      readonly first: number;
      readonly attempt: number;
      readonly deadlineUnixMs: number;
      readonly ledgerOffset: number;
    }
  | {
      readonly type: 'WaveCharged';
      readonly run: number;
      readonly first: number;
      readonly charged: readonly number[];
    }
  | { readonly type: 'RunPaused'; readonly run: number; readonly reason: string };

export type JobEntry = {
  readonly jobId: string;
  readonly accountId: string;
  readonly atUnixMs: number;
  readonly event: JobEvent;
};
