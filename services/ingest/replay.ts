import type { BlockEncoder } from '../events/encode-block.ts';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { deadLetter } from '../platform/event-log/dead-letter.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { BlockFormatError } from './block-format-error.ts';
import { blockRecords } from './block-records.ts';
import type { FinishedFiles } from './finished-files.ts';

/** A block on disk: one file, or the folder of an EVM block. */
export type ReplayFile = {
  readonly path: string;
  /** Changes whenever the content may have changed. */
  readonly version: string;
  /** Reads the bytes; throws the file system's error. */
  read(): Promise<ReplayContent>;
};

export type ReplayContent = {
  /** Uncompressed. */
  readonly bytes: number;
  /** What a dead letter keeps. */
  readonly original: Buffer;
  /** Throws `BlockFormatError` where this is no block. */
  decode(): DecodedBlock;
};

export type ReplayEvents = {
  stored(file: { path: string; bytes: number; block: DecodedBlock }): void;
  /** Done in an earlier run; `refused` tells a dead letter from a block. */
  skipped(file: { path: string; refused: boolean }): void;
  refused(file: { path: string; code: string; reason: string }): void;
  /** Not readable now; tried again at the next run. */
  unreadable(file: { path: string; reason: string }): void;
};

export type ReplayOptions = {
  readonly files: AsyncIterable<ReplayFile>;
  readonly log: EventLog;
  readonly encode: BlockEncoder;
  readonly finished: FinishedFiles;
  readonly events: ReplayEvents;
};

const BLOCKS_PER_KEY = 1_000;
// Bytes that were decoded but are not yet known to be durable; what memory a replay of any length needs.
const APPENDING_BYTES_MAX = 32 << 20;

/**
 * Puts block files into the log, each with the note that it is done in the same append: a crash leaves both or
 * neither. Files done in an earlier run are not read again. A broken file is a dead letter; the rest goes on.
 */
export const replay = async (options: ReplayOptions, signal: AbortSignal): Promise<void> => {
  const appending = new AppendQueue(options.log);
  for await (const { file, content } of readAhead(options)) {
    if (signal.aborted) break;
    if (content instanceof Error) options.events.unreadable({ path: file.path, reason: content.message });
    else await storeFile(options, appending, file, content);
  }
  await appending.drain();
};

const storeFile = async (
  options: ReplayOptions,
  appending: AppendQueue,
  file: ReplayFile,
  content: ReplayContent,
): Promise<void> => {
  const { path, version } = file;
  let block: DecodedBlock;
  try {
    block = content.decode();
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    const reason = `${error.code}: ${error.message}`;
    const refused = {
      path,
      version,
      chain: '',
      block_number: -1,
      block_hash: '',
      movements: 0,
      refused: reason,
    };
    const letter = deadLetter({ source: path, reason, original: content.original });
    await appending.add([letter, options.finished.finish(refused)]);
    options.events.refused({ path, code: error.code, reason: error.message });
    return;
  }
  const key = `${block.chain}:${Math.floor(block.number / BLOCKS_PER_KEY)}`;
  const finished = options.finished.finish({
    path,
    version,
    chain: block.chain,
    block_number: block.number,
    block_hash: block.hash,
    movements: block.movements.length,
    refused: '',
  });
  await appending.add([
    ...blockRecords(block, options.encode, { topic: 'transfers.history', key }),
    finished,
  ]);
  options.events.stored({ path, bytes: content.bytes, block });
};

/** Appends run while the next file is decoded; the first failure ends the replay. */
class AppendQueue {
  readonly #log: EventLog;
  readonly #running: { bytes: number; done: Promise<unknown> }[] = [];
  #bytes = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  async add(records: Parameters<EventLog['append']>[0]): Promise<void> {
    const bytes = records.reduce((sum, r) => sum + r.value.length, 0);
    const done = this.#log.append(records);
    // Awaited below; until then a rejection must not count as unhandled.
    done.catch(() => {});
    this.#running.push({ bytes, done });
    this.#bytes += bytes;
    while (this.#bytes > APPENDING_BYTES_MAX) await this.#settleOldest();
  }

  async drain(): Promise<void> {
    while (this.#running.length > 0) await this.#settleOldest();
  }

  async #settleOldest(): Promise<void> {
    const oldest = this.#running.shift();
    if (!oldest) return;
    this.#bytes -= oldest.bytes;
    await oldest.done;
  }
}

/** Reads the next file from disk while the one before it is decoded. */
async function* readAhead(options: ReplayOptions) {
  let next: { file: ReplayFile; content: Promise<ReplayContent | Error> } | null = null;
  for await (const file of options.files) {
    const status = options.finished.statusOf(file);
    if (status) {
      options.events.skipped({ path: file.path, refused: status === 'refused' });
      continue;
    }
    const content = file
      .read()
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    if (next) yield { file: next.file, content: await next.content };
    next = { file, content };
  }
  if (next) yield { file: next.file, content: await next.content };
}
