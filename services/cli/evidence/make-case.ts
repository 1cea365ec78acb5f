import { writeFileSync } from 'node:fs';
import { writeCase } from '../../evidence/case-file.ts';
import { gatherLabels } from '../../evidence/gather-labels.ts';
import { gatherRows } from '../../evidence/gather-rows.ts';
import { openSigningKeys } from '../../evidence/signing-keys.ts';
import type { Cited, Statement } from '../../evidence/statement.ts';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { programVersion } from '../../platform/program-version.ts';
import { readEvidence, readSources } from '../../roles/read-evidence.ts';
import { chooseStore } from '../../roles/store/choose-store.ts';
import { openToldStore } from '../open-told-store.ts';
import { reachWarehouse } from '../reach-warehouse.ts';

const ROWS_MAX = 1_000_000;

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
  const { rows, withoutEvidence, labels } = await gatherHere(config, readAnswer(answer), signal);
  const madeAtUnixSeconds = Math.floor(Date.now() / 1_000);
  const { signing, published } = await openSigningKeys(config.dataFolder, madeAtUnixSeconds);
  const { keyid } = signing;
  const told = { question, answer, rows, withoutEvidence, labels };
  const content = { ...told, version: programVersion(), madeAtUnixSeconds };
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

const gatherHere = async (config: Config, answer: unknown, signal: AbortSignal) => {
  const store = await openToldStore(config, chooseStore(config));
  try {
    const warehouse = await reachWarehouse(store);
    try {
      const client = warehouse.writer;
      const source = { readRows: readEvidence(client), rowsMax: ROWS_MAX };
      const found = await gatherRows(answer, source, signal);
      return { ...found, labels: await gatherLabels(answer, readSources(client), signal) };
    } finally {
      await warehouse.close();
    }
  } finally {
    await store.close();
  }
};
