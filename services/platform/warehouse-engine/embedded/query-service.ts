import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { isSymbol, isWord } from '../sql-tokens.ts';
import type { Role } from './endpoint.ts';
import type { Engine, EngineAnswer } from './engine.ts';
import { EngineException, toEngineException } from './engine-exception.ts';
import type { EngineLimits } from './engine-options.ts';
import { type ColumnDescription, insertFromFile } from './insert-from-file.ts';
import { prelude } from './settings.ts';
import { Slots } from './slots.ts';
import type { DataInsert, Statement } from './statement.ts';
import type { StatementReader } from './statement-reader.ts';
import { writeBody } from './write-body.ts';

export type QueryRequest = {
  readonly role: Role;
  readonly database: string;
  readonly statement: Statement;
  /** What is given to the engine: for a writer as it came, for a reader as the walls saw it. */
  readonly text: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly params: ReadonlyMap<string, string>;
  readonly defaultFormat: string;
  /** Aborted when the client goes away: the query is cancelled. */
  readonly signal: AbortSignal;
};

/** A result in memory, or the chunks of one that was too large for it. */
export type QueryResult =
  | { readonly type: 'whole'; readonly answer: EngineAnswer }
  | { readonly type: 'stream'; readonly chunks: AsyncGenerator<Buffer> };

const RESULT_TOO_LARGE = 396;
const CANCEL_AGAIN_MS = 250;

/** Runs statements in their slots, within their limits. */
export class QueryService {
  readonly #engine: Engine;
  readonly #reader: StatementReader;
  readonly #limits: EngineLimits;
  readonly #incoming: string;
  readonly #slots: Readonly<Record<'query' | 'heavy' | 'insert', Slots>>;
  #sequence = 0;

  constructor(options: { engine: Engine; reader: StatementReader; limits: EngineLimits; incoming: string }) {
    const { limits } = options;
    this.#engine = options.engine;
    this.#reader = options.reader;
    this.#limits = limits;
    this.#incoming = options.incoming;
    this.#slots = {
      query: new Slots('query', limits.querySlots, limits.waitingMax),
      heavy: new Slots('heavy query', limits.heavySlots, limits.waitingMax),
      insert: new Slots('insert', limits.insertSlots, limits.waitingMax),
    };
  }

  /** `use` consumes the result while its slot is held. */
  async query(request: QueryRequest, use: (result: QueryResult) => Promise<void>): Promise<void> {
    const release = await this.#slots[slotOf(request)].take(request.signal);
    const tag = this.#nextTag();
    const stopCancelling = this.#cancelOnAbort(request.signal, tag);
    try {
      await use(await this.#run(request, tag));
    } finally {
      stopCancelling();
      release();
    }
  }

  /** Again and again until the query has ended: the engine may not have begun it when the client went away. */
  #cancelOnAbort(signal: AbortSignal, tag: string): () => void {
    let timer: NodeJS.Timeout | undefined;
    const cancel = () => {
      void this.#engine.cancel(tag).catch(() => {});
      timer = setTimeout(cancel, CANCEL_AGAIN_MS);
    };
    signal.addEventListener('abort', cancel, { once: true });
    return () => {
      signal.removeEventListener('abort', cancel);
      clearTimeout(timer);
    };
  }

  /** Queries and inserts that are running. */
  get busy(): number {
    return Object.values(this.#slots).reduce((sum, slots) => sum + slots.busy, 0);
  }

  async #run(request: QueryRequest, tag: string): Promise<QueryResult> {
    const query = { statement: request.text, format: request.defaultFormat };
    const streamable = request.statement.verb === 'SELECT' || request.statement.verb === 'WITH';
    const streamed = (): QueryResult => ({
      type: 'stream',
      chunks: this.#engine.stream({ ...query, prelude: this.#prelude(request, request.settings, tag) }),
    });
    // In the text, where only a writer may set it, it would cut a result short at the limit of ours without a word.
    if (streamable && request.role === 'writer' && /\bresult_overflow_mode\b/i.test(request.text))
      return streamed();
    // From memory first: the engine prepares a stream on the thread that serves everybody, and may compute scalar
    // subqueries there. Only a result that does not fit is asked for again as a stream.
    const settings = streamable ? this.#limitedToMemory(request.settings) : request.settings;
    const startMs = performance.now();
    try {
      return {
        type: 'whole',
        answer: await this.#engine.run({ ...query, prelude: this.#prelude(request, settings, tag) }),
      };
    } catch (error) {
      const exception = toEngineException(error);
      const isTooLarge = streamable && exception.code === RESULT_TOO_LARGE && !request.signal.aborted;
      if (!isTooLarge) throw exception;
      this.#checkPreparation(request, performance.now() - startMs);
      return streamed();
    }
  }

  /** A result within these limits is the same within those that were asked for, of which none is reached. */
  #limitedToMemory(asked: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const own = Number(asked.get('max_result_bytes') ?? 0);
    const bytes = Math.min(own > 0 ? own : Number.POSITIVE_INFINITY, this.#limits.resultBytesBuffered);
    return new Map([...asked, ['max_result_bytes', String(bytes)], ['result_overflow_mode', 'throw']]);
  }

  /** Throws where a reader's subqueries may have taken longer than everybody can be kept waiting for them. */
  #checkPreparation({ role, statement }: QueryRequest, tookMs: number): void {
    if (role === 'writer' || tookMs <= this.#limits.preparedSecondsMax * 1_000) return;
    const { tokens } = statement;
    const hasSubquery = tokens.some(
      (token, place) => isSymbol(token, '(') && isWord(tokens[place + 1], 'SELECT', 'WITH', 'FROM'),
    );
    if (!hasSubquery) return;
    throw new EngineException(
      RESULT_TOO_LARGE,
      'TOO_MANY_ROWS_OR_BYTES',
      `A result of more than ${this.#limits.resultBytesBuffered} bytes needs subqueries that take less time`,
    );
  }

  /** Puts the body into a file and the file into the table. The slot is taken first, which bounds the files. */
  async insert(request: QueryRequest, insert: DataInsert, body: Readable): Promise<EngineAnswer> {
    const release = await this.#slots.insert.take(request.signal);
    const tag = this.#nextTag();
    const path = `${this.#incoming}/${tag}.data`;
    try {
      if ((await writeBody(body, path, request.signal)) === 0)
        return { bytes: Buffer.alloc(0), rowsRead: 0, bytesRead: 0, elapsedSeconds: 0 };
      return await this.#load(request, insert, { path, tag });
    } finally {
      await rm(path, { force: true });
      release();
    }
  }

  /** Puts a file that the client has written, and will remove, into the table. */
  async insertWritten(request: QueryRequest, insert: DataInsert, name: string): Promise<EngineAnswer> {
    const release = await this.#slots.insert.take(request.signal);
    const path = `${this.#incoming}/${name}`;
    try {
      return await this.#load(request, insert, { path, tag: this.#nextTag() });
    } finally {
      release();
    }
  }

  /** From here on the insert is finished even when the client goes away: half of it would help nobody. */
  async #load(
    request: QueryRequest,
    insert: DataInsert,
    { path, tag }: { path: string; tag: string },
  ): Promise<EngineAnswer> {
    const described = await this.#describe(request, insert.table);
    const settings = new Map([['input_format_parallel_parsing', '0'], ...request.settings]);
    return this.#engine.run({
      prelude: this.#prelude(request, settings, tag),
      statement: insertFromFile(insert, described, path),
      format: 'Null',
    });
  }

  async #describe(request: QueryRequest, table: string): Promise<ColumnDescription[]> {
    const answer = await this.#engine.run({
      prelude: this.#prelude(request, new Map(), ''),
      statement: `DESCRIBE TABLE ${table}`,
      format: 'JSONEachRow',
    });
    const lines = answer.bytes.toString('utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as ColumnDescription);
  }

  #prelude(request: QueryRequest, settings: ReadonlyMap<string, string>, tag: string): string {
    const readonly = request.role !== 'writer';
    return prelude({
      tag,
      database: request.database,
      params: request.params,
      settings,
      readonly,
      limits: this.#limits,
    });
  }

  #nextTag(): string {
    this.#sequence += 1;
    return `${process.pid}-${this.#sequence}`;
  }

  read(text: string): Promise<Statement> {
    return this.#reader.read(text);
  }
}

/** Analysts, and questions that ask to be of lower priority, wait among themselves. */
function slotOf(request: QueryRequest): 'query' | 'heavy' | 'insert' {
  if (request.statement.verb === 'INSERT') return 'insert';
  const background = Number(request.settings.get('priority') ?? 0) > 0;
  return request.role === 'analyst' || background ? 'heavy' : 'query';
}
