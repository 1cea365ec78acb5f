import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type EvidenceRow, toLine } from './evidence-row.ts';
import { merkleRoot } from './merkle.ts';

/** https://github.com/in-toto/attestation, version 1. */
const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'urn:spoor:case:v1';
/** Of the envelope. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json';

export const sha256 = (bytes: string | Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex');

const SUBJECT = z.strictObject({ name: z.string(), digest: z.strictObject({ sha256: z.string() }) });

const LABEL = z.object({
  chain: z.string(),
  address: z.string(),
  name: z.string(),
  kind: z.string(),
  source: z.string(),
  confidence: z.number(),
  /** Unix seconds. */
  asserted_at: z.int(),
});

const STATEMENT = z.object({
  _type: z.literal(STATEMENT_TYPE),
  subject: z.array(SUBJECT),
  predicateType: z.literal(PREDICATE_TYPE),
  predicate: z.object({
    question: z.object({ path: z.string(), body: z.unknown() }).nullable(),
    /** The newest block of each chain that the evidence has a row of. */
    blocks: z.array(
      z.object({ chain: z.string(), block: z.int(), hash: z.string(), time: z.int().nullable() }),
    ),
    evidence: z.object({ rows: z.int(), merkle_root: z.string() }),
    /** Transactions that the answer cites, but of which no row is here. */
    without_evidence: z.array(z.object({ chain: z.string(), transaction: z.string() })),
    /** Who said what of the addresses that the answer labels, and when that was recorded. Earlier cases have none. */
    labels: z.array(LABEL).default([]),
    software: z.object({ name: z.literal('spoor'), version: z.string() }),
    made_at: z.int(),
  }),
});

export type Statement = z.infer<typeof STATEMENT>;
/** Who an address is, by whom, and when that was recorded. */
export type SourcedLabel = Statement['predicate']['labels'][number];
export type Cited = Statement['predicate']['without_evidence'][number];

/** Throws `ZodError` or `SyntaxError` where the text is no statement of a case. */
export const readStatement = (text: string): Statement => STATEMENT.parse(JSON.parse(text));

export type CaseContent = {
  readonly question: Statement['predicate']['question'];
  /** The answer's own bytes. */
  readonly answer: string;
  readonly rows: readonly EvidenceRow[];
  readonly withoutEvidence: readonly Cited[];
  readonly labels: readonly SourcedLabel[];
  readonly version: string;
  readonly madeAtUnixSeconds: number;
};

/** What the operator signs: digests of the files, and what they say. */
export const toStatement = (content: CaseContent, files: Readonly<Record<string, string>>): Statement => {
  const { question, rows, withoutEvidence, labels, version, madeAtUnixSeconds } = content;
  return {
    _type: STATEMENT_TYPE,
    subject: Object.entries(files).map(([name, bytes]) => ({ name, digest: { sha256: sha256(bytes) } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      question,
      blocks: newestBlocks(rows),
      evidence: { rows: rows.length, merkle_root: merkleRoot(rows.map(toLine)) },
      without_evidence: [...withoutEvidence],
      labels: [...labels],
      software: { name: 'spoor', version },
      made_at: madeAtUnixSeconds,
    },
  };
};

const newestBlocks = (rows: readonly EvidenceRow[]): Statement['predicate']['blocks'] => {
  const newest = new Map<string, EvidenceRow>();
  for (const row of rows) if (row.block >= (newest.get(row.chain)?.block ?? 0)) newest.set(row.chain, row);
  return [...newest.values()].map(({ chain, block, block_hash: hash, time }) => ({
    chain,
    block,
    hash,
    time,
  }));
};
