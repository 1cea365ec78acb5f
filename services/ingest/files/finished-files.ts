import { createHash } from 'node:crypto';
import type { Codec } from '../../platform/avro/codec.ts';
import type { AppendRecord, EventLog } from '../../platform/event-log/event-log.ts';
import { type PassedOver, readDecoded } from '../../platform/event-log/read-decoded.ts';

export type FileIngested = {
  path: string;
  version: string;
  chain: string;
  block_number: number;
  block_hash: string;
  movements: number;
  refused: string;
};

const TOPIC = 'ingest.checkpoints';
// About 100 bytes each. Files finished earlier are read again; the sink recognises their blocks.
const REMEMBERED_MAX = 2_000_000;
// Reasons are longer, so only this many are kept.
const REASONS_MAX = 10_000;
const REASON_FORGOTTEN = 'refused: its dead letter says why';
/** The code of an error of ours, not of the file. */
const OURS = 'internal';
/** Notes of the first versions do not name their version. */
const NOTE_OF_OURS = /^internal( in|:) /;

/** A file's identity in 16 characters, because two million must fit in memory. */
const digestOf = (file: { path: string; version: string }): string =>
  createHash('sha256').update(`${file.path}\0${file.version}`).digest('base64').slice(0, 16);

/** Which block files a replay has finished, read from the log. This makes it resumable. */
export class FinishedFiles {
  /** Why a file was refused; empty if its block is stored. */
  readonly #digests = new Map<string, string>();
  #reasons = 0;
  readonly #codec: Codec<FileIngested>;
  readonly #program: string;

  private constructor(codec: Codec<FileIngested>, program: string) {
    this.#codec = codec;
    this.#program = program;
  }

  /**
   * `program`: this version. A file at which another version had an internal error is not finished. Unreadable
   * notes are skipped, and their files are read again.
   */
  static async read(
    log: EventLog,
    codec: Codec<FileIngested>,
    program: string,
    passedOver: PassedOver,
  ): Promise<FinishedFiles> {
    const files = new FinishedFiles(codec, program);
    for await (const file of readDecoded(log, TOPIC, codec.decode, passedOver)) files.#remember(file);
    return files;
  }

  /** Why the file was refused, empty if its block is in the log; null: new or changed. */
  whyRefused(file: { path: string; version: string }): string | null {
    return this.#digests.get(digestOf(file)) ?? null;
  }

  /** The note that a file is done, appended together with its records. */
  finish(file: FileIngested): AppendRecord {
    this.#remember(file);
    return { topic: TOPIC, key: file.path, value: this.#codec.encode(file) };
  }

  /** Why a file is refused, as its note says it. */
  refusal(code: string, reason: string): string {
    return code === OURS ? `${OURS} in ${this.#program}: ${reason}` : `${code}: ${reason}`;
  }

  #remember(file: FileIngested): void {
    if (NOTE_OF_OURS.test(file.refused) && !file.refused.startsWith(this.refusal(OURS, ''))) {
      this.#digests.delete(digestOf(file));
      return;
    }
    if (this.#digests.size >= REMEMBERED_MAX) {
      const [oldest] = this.#digests.keys();
      if (oldest !== undefined) this.#digests.delete(oldest);
    }
    if (file.refused !== '') this.#reasons += 1;
    const isKept = file.refused === '' || this.#reasons <= REASONS_MAX;
    this.#digests.set(digestOf(file), isKept ? file.refused : REASON_FORGOTTEN);
  }
}
