import { stringify } from 'csv-stringify/sync';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { openDraft } from '../../platform/replace-file.ts';
import type { KeptResult } from './result.ts';

export const FORMATS = ['csv', 'jsonl', 'parquet'] as const;
type Format = (typeof FORMATS)[number];

/** By the end of its name. */
export const formatOf = (path: string): Format | null =>
  FORMATS.find((format) => path.endsWith(`.${format}`)) ?? null;

type Cell = string | number | boolean | null;
type Type = 'STRING' | 'DOUBLE' | 'BOOLEAN';

const COLUMNS = {
  ...{ at: 'STRING', wallet: 'STRING', counterparty: 'STRING', signature: 'STRING', direction: 'STRING' },
  ...{ refused: 'STRING', entity: 'STRING', kind: 'STRING', scope: 'STRING' },
  ...{ anonymity_set: 'DOUBLE', candidates_total: 'DOUBLE', rank: 'DOUBLE', candidate: 'STRING' },
  ...{ confidence: 'DOUBLE', amount: 'DOUBLE', amount_raw: 'STRING', asset: 'STRING', time: 'DOUBLE' },
  ...{ delta_seconds: 'DOUBLE', candidate_signature: 'STRING', label: 'STRING', via: 'STRING' },
  ...{ same_wallet: 'BOOLEAN', evidence: 'STRING' },
} as const satisfies Record<string, Type>;
type Row = Readonly<Partial<Record<keyof typeof COLUMNS, Cell>>>;
const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];

/** Rows of Parquet that are held at once. */
const ROWS_PER_PIECE = 50_000;

/** One row a candidate; one for an anchor that has none or was refused. */
const toRows = (result: KeptResult): Row[] => {
  const { wallet, counterparty, signature, direction } = result.body;
  const anchor = { at: result.at, wallet, counterparty, signature, direction };
  if ('refused' in result) return [{ ...anchor, refused: result.refused.code }];
  const { entity, kind, anonymity_set, candidates_total, candidates, meta } = result.answer;
  const found = { ...anchor, entity, kind, scope: meta.scope, anonymity_set, candidates_total };
  if (candidates.length === 0) return [found];
  return candidates.map((candidate, at) => ({
    ...found,
    rank: at + 1,
    candidate: candidate.address,
    confidence: candidate.confidence,
    amount: candidate.amount,
    amount_raw: candidate.amount_raw,
    asset: candidate.asset,
    time: candidate.time,
    delta_seconds: candidate.delta_seconds,
    candidate_signature: candidate.signature,
    label: candidate.label,
    via: candidate.via,
    same_wallet: candidate.same_wallet,
    evidence: candidate.evidence.map(({ family }) => family).join(' '),
  }));
};

/** The file as a whole, or not at all. */
export const writeResults = async (path: string, results: AsyncIterable<KeptResult>): Promise<void> => {
  const draft = openDraft(path);
  try {
    const write = WRITERS[formatOf(path) ?? 'jsonl'];
    await write(results, (bytes) => draft.write(bytes));
  } catch (error) {
    draft.discard();
    throw error;
  }
  draft.keep();
};

type Write = (results: AsyncIterable<KeptResult>, write: (bytes: Uint8Array) => void) => Promise<void>;

const WRITERS: Readonly<Record<Format, Write>> = {
  jsonl: async (results, write) => {
    for await (const { place: _, body: anchor, ...result } of results)
      write(Buffer.from(`${JSON.stringify({ ...result, anchor })}\n`));
  },
  csv: async (results, write) => {
    const columns = [...NAMES];
    write(Buffer.from(stringify([], { header: true, columns })));
    // Spreadsheets take some first characters for formulas: those are quoted away.
    for await (const result of results)
      write(Buffer.from(stringify(toRows(result), { columns, escape_formulas: true })));
  },
  parquet: async (results, write) => {
    const rows: Row[] = [];
    for await (const result of results) rows.push(...toRows(result));
    const columnData = NAMES.map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? null),
      type: COLUMNS[name],
      nullable: true,
    }));
    write(new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: ROWS_PER_PIECE })));
  },
};
