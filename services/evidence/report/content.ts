import type { EvidenceRow } from '../evidence-row.ts';
import type { Cited, SourcedLabel, Statement } from '../statement.ts';

/** What a report is made of. */
export type ReportContent = {
  readonly question: Statement['predicate']['question'];
  readonly answer: string;
  readonly rows: readonly EvidenceRow[];
  readonly withoutEvidence: readonly Cited[];
  readonly labels: readonly SourcedLabel[];
  readonly version: string;
  readonly madeAtUnixSeconds: number;
  /** SHA-256 of the answer, and the root over the movements. */
  readonly digests: { readonly answer: string; readonly merkleRoot: string };
  /** Of the keys that sign. */
  readonly keyids: readonly string[];
};
