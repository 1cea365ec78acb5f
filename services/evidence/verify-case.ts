import { FILES, type ReadCase } from './case-file.ts';
import { citedTransactions } from './cited-transactions.ts';
import { type Envelope, isSealedBy } from './dsse.ts';
import { type EvidenceRow, readLine } from './evidence-row.ts';
import { merkleRoot } from './merkle.ts';
import { PAYLOAD_TYPE, readStatement, type Statement, sha256 } from './statement.ts';

/** What was looked at, and what is wrong with it; null: nothing. */
export type Finding = { readonly check: string; readonly problem: string | null };

export type CheckedCase = {
  readonly findings: readonly Finding[];
  /** null where it cannot be read. */
  readonly statement: Statement | null;
  /** Those that can be read. */
  readonly rows: readonly EvidenceRow[];
};

/** Level 1: signature, digests and Merkle root. Reads nothing but the case and the key (PEM). */
export const verifyCase = ({ envelope, files }: ReadCase, publicKeyPem: string): CheckedCase => {
  const statement = attempt(() => readStatement(Buffer.from(envelope.payload, 'base64').toString()));
  const lines = linesOf(files.get(FILES.evidence) ?? '');
  const rows = lines.map((line) => attempt(() => readLine(line)));
  const unreadable = rows.indexOf(null);
  const findings: Finding[] = [
    { check: 'signature', problem: whySignatureIsWrong(envelope, publicKeyPem) },
    { check: 'statement', problem: statement ? null : 'it is no statement of a case' },
    {
      check: 'rows',
      problem: unreadable < 0 ? null : `line ${unreadable + 1} of ${FILES.evidence} is no movement`,
    },
  ];
  if (statement)
    findings.push(
      ...compareFiles(statement, files),
      compareRoot(statement, lines),
      compareCitations(statement, files, rows),
    );
  return { findings, statement, rows: rows.filter((row) => row !== null) };
};

const whySignatureIsWrong = (envelope: Envelope, publicKeyPem: string): string | null => {
  if (envelope.payloadType !== PAYLOAD_TYPE) return `its payload is ${envelope.payloadType}`;
  return isSealedBy(envelope, publicKeyPem) ? null : 'nobody signed it with this key';
};

/** What the answer cites has a movement here, or the statement says that it has none. */
const compareCitations = (
  { predicate }: Statement,
  files: ReadonlyMap<string, string>,
  rows: readonly (EvidenceRow | null)[],
): Finding => {
  const proved = rows.flatMap((row) => row ?? []);
  const told = new Set([...proved, ...predicate.without_evidence].map(placeOf));
  const cited = attempt(() => citedTransactions(JSON.parse(files.get(FILES.answer) ?? 'null'))) ?? [];
  const missing = cited.filter((each) => !told.has(placeOf(each)));
  return {
    check: 'citations',
    problem:
      missing.length === 0
        ? null
        : `${missing.length} of ${cited.length} transactions of the answer have no movement here, such as ${missing[0]?.transaction}`,
  };
};

const placeOf = ({ chain, transaction }: Pick<EvidenceRow, 'chain' | 'transaction'>): string =>
  `${chain}:${transaction}`;

/** Every file is named by the statement, and every named one is here, as it was. */
const compareFiles = ({ subject }: Statement, files: ReadonlyMap<string, string>): Finding[] => {
  const named = new Map(subject.map(({ name, digest }) => [name, digest.sha256]));
  const { answer, evidence, page } = FILES;
  const names = new Set([answer, evidence, page, ...named.keys(), ...files.keys()]);
  return [...names].map((name) => {
    const [digest, file] = [named.get(name), files.get(name)];
    if (digest === undefined) return { check: name, problem: 'the statement does not name it' };
    if (file === undefined) return { check: name, problem: 'it is missing' };
    return { check: name, problem: sha256(file) === digest ? null : 'it is not what was signed' };
  });
};

const compareRoot = ({ predicate: { evidence } }: Statement, lines: readonly string[]): Finding => ({
  check: 'merkle root',
  problem:
    lines.length === evidence.rows && merkleRoot(lines) === evidence.merkle_root
      ? null
      : 'the lines are not those that were signed',
});

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const attempt = <T>(read: () => T): T | null => {
  try {
    return read();
  } catch {
    return null;
  }
};
