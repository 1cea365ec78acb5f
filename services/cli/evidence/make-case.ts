import { writeFileSync } from 'node:fs';
import { writeCase } from '../../evidence/case-file.ts';
import { citedTransactions } from '../../evidence/cited-transactions.ts';
import type { EvidenceRow } from '../../evidence/evidence-row.ts';
import { openSigningKeys } from '../../evidence/signing-keys.ts';
import type { Cited, Statement } from '../../evidence/statement.ts';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { programVersion } from '../../platform/program-version.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { chooseStore } from '../../roles/store/choose-store.ts';
import {
  type PlacedMovement,
  readPlacedMovements,
} from '../../warehouse/read/transactions/placed-movements.ts';
import { openToldStore } from '../open-told-store.ts';
import { reachWarehouse } from '../reach-warehouse.ts';

/** Transactions of one query. */
const HASHES_EACH = 500;
const ROWS_MAX = 1_000_000;
const TIMEOUT_MS = 60_000;

export type MadeCase = {
  readonly path: string;
  readonly rows: number;
  readonly withoutEvidence: readonly Cited[];
  readonly keyid: string;
  /** PEM. */
  readonly publicKey: string;
};

/** Reads the movements that an answer cites from the tables of the store here, and writes the signed case. */
export const makeCase = async (
  { question, answer }: { readonly question: Statement['predicate']['question']; readonly answer: string },
  path: string,
  signal: AbortSignal,
): Promise<MadeCase> => {
  const config = loadConfig(process.env);
  const cited = citedTransactions(readAnswer(answer));
  const rows = await readRows(config, cited, signal);
  const has = new Set(rows.map(({ chain, transaction }) => `${chain}:${transaction}`));
  const withoutEvidence = cited.filter(({ chain, transaction }) => !has.has(`${chain}:${transaction}`));
  const madeAtUnixSeconds = Math.floor(Date.now() / 1_000);
  const { signing, published } = await openSigningKeys(config.dataFolder, madeAtUnixSeconds);
  const { keyid } = signing;
  const content = { question, answer, rows, withoutEvidence, version: programVersion(), madeAtUnixSeconds };
  writeFileSync(path, writeCase(content, [signing]));
  const publicKey = published.find((key) => key.keyid === keyid)?.public_key ?? '';
  return { path, rows: rows.length, withoutEvidence, keyid, publicKey };
};

/** What is signed must be an answer, not whatever file was named. */
class AnswerFormatError extends Error {
  readonly code = 'answer_format';
  constructor(options?: ErrorOptions) {
    super('this is no answer: give a file that a question printed with --json', options);
    this.name = 'AnswerFormatError';
  }
}

const readAnswer = (text: string): unknown => {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw new AnswerFormatError({ cause });
  }
  if (typeof answer !== 'object' || answer === null || !('meta' in answer)) throw new AnswerFormatError();
  return answer;
};

const readRows = async (
  config: Config,
  cited: readonly Cited[],
  signal: AbortSignal,
): Promise<EvidenceRow[]> => {
  const store = await openToldStore(config, chooseStore(config));
  try {
    const warehouse = await reachWarehouse(store);
    try {
      return await readAll(warehouse.writer, cited, signal);
    } finally {
      await warehouse.close();
    }
  } finally {
    await store.close();
  }
};

const readAll = async (
  client: WarehouseClient,
  cited: readonly Cited[],
  signal: AbortSignal,
): Promise<EvidenceRow[]> => {
  const rows: EvidenceRow[] = [];
  for (const [chain, of] of Map.groupBy(cited, (each) => each.chain))
    for (let at = 0; at < of.length; at += HASHES_EACH) {
      const hashes = of.slice(at, at + HASHES_EACH).map(({ transaction }) => transaction);
      const limits = { limit: ROWS_MAX, signal, timeoutMs: TIMEOUT_MS };
      for (const moved of await readPlacedMovements(client, { chain, hashes, ...limits }))
        rows.push(toRow(moved));
    }
  return rows;
};

const toRow = ({ blockHash, timeUnixSeconds, amountRaw, ...row }: PlacedMovement): EvidenceRow => ({
  ...row,
  block_hash: blockHash,
  time: timeUnixSeconds,
  amount_raw: String(amountRaw),
});
