import { deadLetter } from '../../platform/event-log/dead-letters.ts';
import type { AppendRecord, EventLog } from '../../platform/event-log/event-log.ts';
import { releaseValues } from '../../platform/release-buffers.ts';
import type { BlockSummary, DecodedFile } from './decode-file.ts';
import type { DecodePool } from './decode-pool.ts';
import type { FinishedFiles } from './finished-files.ts';

/** A block on disk: one file, or the folder of an EVM block. */
export type ReplayFile = {
  readonly path: string;
  /** Changes whenever the content may have changed. */
  readonly version: string;
};

export type ReplayEvents = {
  stored(file: { path: string; bytes: number; block: BlockSummary }): void;
  /** Done in an earlier run; `refused` says why it became a dead letter, null if it was a block. */
  skipped(file: { path: string; refused: string | null }): void;
  refused(file: { path: string; code: string; reason: string }): void;
  /** Not readable now; the next run tries again. */
  unreadable(file: { path: string; reason: string }): void;
};

export type ReplayOptions = {
  readonly files: AsyncIterable<ReplayFile>;
  /** The blocks' chain, if their folder does not name it. */
  readonly chain: string | null;
  readonly log: EventLog;
  readonly pool: DecodePool;
  readonly finished: FinishedFiles;
  readonly events: ReplayEvents;
};

// Bytes that are decoded and not yet durable: the memory bound of a replay.
const APPENDING_BYTES_MAX = 32 << 20;
const NO_BLOCK = { chain: '', block_number: -1, block_hash: '', movements: 0 };

/**
 * Writes block files into the log, each with its note in the same append, so a crash leaves both or neither. Files
 * done earlier are not read. A broken file becomes a dead letter; the rest goes on.
 */
export const replay = async (options: ReplayOptions, signal: AbortSignal): Promise<void> => {
  const appending = new AppendQueue(options.log);
  for await (const { file, decoded } of decodeAhead(options)) {
    if (signal.aborted) break;
    await storeFile(options, appending, file, decoded);
  }
  await appending.drain();
};

const storeFile = async (
  { finished, events }: ReplayOptions,
  appending: AppendQueue,
  { path, version }: ReplayFile,
  decoded: DecodedFile,
): Promise<void> => {
  if (decoded.status === 'unreadable') {
    events.unreadable({ path, reason: decoded.reason });
  } else if (decoded.status === 'refused') {
    const { code, reason } = decoded;
    const refused = finished.refusal(code, reason);
    const letter = deadLetter({ source: path, reason: refused, original: Buffer.from(decoded.original) });
    await appending.add([letter, finished.finish({ ...NO_BLOCK, path, version, refused })]);
    events.refused({ path, code, reason });
  } else {
    const { block, bytes, records } = decoded;
    const { chain, number, hash, movements } = block;
    const note = { path, version, chain, block_number: number, block_hash: hash, movements, refused: '' };
    await appending.add([...records, finished.finish(note)]);
    events.stored({ path, bytes, block });
  }
};

/** Appends run while the next file is decoded; the first failure ends the replay. */
class AppendQueue {
  readonly #log: EventLog;
  readonly #running: { bytes: number; done: Promise<unknown> }[] = [];
  #bytes = 0;

  constructor(log: EventLog) {
    this.#log = log;
  }

  async add(records: readonly AppendRecord[]): Promise<void> {
    const bytes = records.reduce((sum, r) => sum + r.value.length, 0);
    const done = this.#log.append(records).then(() => releaseValues(records));
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

/** The files in order; some are decoded while one is stored. */
async function* decodeAhead({ files, finished, events, pool, chain }: ReplayOptions) {
  const ahead: { file: ReplayFile; decoded: Promise<DecodedFile> }[] = [];
  for await (const file of files) {
    const refused = finished.whyRefused(file);
    if (refused !== null) {
      events.skipped({ path: file.path, refused: refused === '' ? null : refused });
      continue;
    }
    const decoded = pool.decode(file.path, chain);
    decoded.catch(() => {});
    ahead.push({ file, decoded });
    const [next] = ahead;
    if (ahead.length <= 2 * pool.size || !next) continue;
    ahead.shift();
    yield { file: next.file, decoded: await next.decoded };
  }
  for (const { file, decoded } of ahead) yield { file, decoded: await decoded };
}
