import { strToU8, unzipSync, zipSync } from 'fflate';
import { z } from 'zod';
import { showableLine } from '../platform/showable.ts';
import { type Envelope, type SigningKey, seal } from './dsse.ts';
import { toLine } from './evidence-row.ts';
import { merkleRoot } from './merkle.ts';
import { writeReport } from './report/write-report.ts';
import { type CaseContent, PAYLOAD_TYPE, sha256, toStatement } from './statement.ts';
import { VERIFY_PAGE } from './verify-page.ts';

export const FILES = {
  statement: 'statement.dsse.json',
  answer: 'answer.json',
  evidence: 'evidence.ndjson',
  report: 'report.html',
  page: 'VERIFY.md',
} as const;

const ENVELOPE = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })),
});

/** All files of a case together are no larger: whoever sends one chooses what it unpacks to. */
const BYTES_MAX = 256 << 20;
/** The same bytes for the same case, whenever it is written. */
const ZIP_TIME = new Date('1980-01-01T00:00:00');

/** A case that stands on its own, as the bytes of a zip file. */
export const writeCase = (content: CaseContent, keys: readonly SigningKey[]): Uint8Array => {
  const lines = content.rows.map(toLine);
  const digests = { answer: sha256(content.answer), merkleRoot: merkleRoot(lines) };
  const files = {
    [FILES.answer]: content.answer,
    [FILES.evidence]: lines.map((line) => `${line}\n`).join(''),
    [FILES.report]: writeReport({ ...content, digests, keyids: keys.map(({ keyid }) => keyid) }),
    [FILES.page]: VERIFY_PAGE,
  };
  const statement = Buffer.from(JSON.stringify(toStatement(content, files)));
  const envelope = seal(PAYLOAD_TYPE, statement, keys);
  const all = { [FILES.statement]: `${JSON.stringify(envelope)}\n`, ...files };
  const packed = Object.entries(all).map(([name, text]) => [name, strToU8(text)]);
  return zipSync(Object.fromEntries(packed), { level: 6, mtime: ZIP_TIME });
};

export class CaseFormatError extends Error {
  readonly code = 'case_format';
  constructor(problem: string, options?: ErrorOptions) {
    super(`this is no case file: ${problem}`, options);
    this.name = 'CaseFormatError';
  }
}

export type ReadCase = {
  readonly envelope: Envelope;
  /** The other files by name. */
  readonly files: ReadonlyMap<string, string>;
};

/** Throws `CaseFormatError`. */
export const readCase = (bytes: Uint8Array): ReadCase => {
  const files = new Map(Object.entries(unpack(bytes)).map(([name, file]) => [name, textOf(name, file)]));
  const sealed = files.get(FILES.statement);
  if (sealed === undefined) throw new CaseFormatError(`it has no ${FILES.statement}`);
  files.delete(FILES.statement);
  return { envelope: readEnvelope(sealed), files };
};

/** Two files with one text must not both be what was signed: nothing is dropped or replaced. */
const textOf = (name: string, bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new CaseFormatError(`${showableLine(name)} is no text`, { cause });
  }
};

const unpack = (bytes: Uint8Array): Record<string, Uint8Array> => {
  const names = new Set<string>();
  let unpacked = 0;
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        // Another program may show the first of two.
        if (names.has(name)) throw new CaseFormatError(`it has two files named ${showableLine(name)}`);
        names.add(name);
        unpacked += originalSize;
        if (unpacked > BYTES_MAX) throw new CaseFormatError('it unpacks to more than 256 MiB');
        return true;
      },
    });
  } catch (cause) {
    if (cause instanceof CaseFormatError) throw cause;
    throw new CaseFormatError('it is no zip file', { cause });
  }
};

const readEnvelope = (text: string): Envelope => {
  try {
    return ENVELOPE.parse(JSON.parse(text));
  } catch (cause) {
    throw new CaseFormatError(`${FILES.statement} is no DSSE envelope`, { cause });
  }
};
