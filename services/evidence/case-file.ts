import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { z } from 'zod';
import { type Envelope, type SigningKey, seal } from './dsse.ts';
import { toLine } from './evidence-row.ts';
import { type CaseContent, PAYLOAD_TYPE, toStatement } from './statement.ts';
import { VERIFY_PAGE } from './verify-page.ts';

export const FILES = {
  statement: 'statement.dsse.json',
  answer: 'answer.json',
  evidence: 'evidence.ndjson',
  page: 'VERIFY.md',
} as const;

const ENVELOPE = z.object({
  payloadType: z.string(),
  payload: z.base64(),
  signatures: z.array(z.object({ keyid: z.string(), sig: z.base64() })),
});

/** Above this a file within a case is not read: whoever sends one chooses what it unpacks to. */
const FILE_BYTES_MAX = 256 << 20;
/** The same bytes for the same case, whenever it is written. */
const ZIP_TIME = new Date('1980-01-01T00:00:00');

/** A case that stands on its own, as the bytes of a zip file. */
export const writeCase = (content: CaseContent, keys: readonly SigningKey[]): Uint8Array => {
  const files = {
    [FILES.answer]: content.answer,
    [FILES.evidence]: content.rows.map((row) => `${toLine(row)}\n`).join(''),
  };
  const statement = Buffer.from(JSON.stringify(toStatement(content, files)));
  const envelope = seal(PAYLOAD_TYPE, statement, keys);
  const all = { [FILES.statement]: `${JSON.stringify(envelope)}\n`, ...files, [FILES.page]: VERIFY_PAGE };
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
  const files = new Map(Object.entries(unpack(bytes)).map(([name, file]) => [name, strFromU8(file)]));
  const sealed = files.get(FILES.statement);
  if (sealed === undefined) throw new CaseFormatError(`it has no ${FILES.statement}`);
  files.delete(FILES.statement);
  return { envelope: readEnvelope(sealed), files };
};

const unpack = (bytes: Uint8Array): Record<string, Uint8Array> => {
  try {
    return unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (originalSize > FILE_BYTES_MAX) throw new CaseFormatError(`${name} is larger than 256 MiB`);
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
