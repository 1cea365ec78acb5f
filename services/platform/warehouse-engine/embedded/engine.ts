import { type ChdbQueryStream, Session } from 'chdb';
import { quoteString } from '../sql-tokens.ts';
import { toEngineException } from './engine-exception.ts';

export type EngineAnswer = {
  readonly bytes: Buffer;
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly elapsedSeconds: number;
};

export type EngineQuery = {
  /** `USE` and `SET` statements, each ended by a semicolon. */
  readonly prelude: string;
  /** One statement; whoever calls has made sure of that. */
  readonly statement: string;
  readonly format: string;
};

/**
 * chDB, one fresh connection per query. Opening one takes 0.2 ms, and nothing that a query sets (a database, a setting,
 * a parameter) can stick to the next one. Parameters go through `SET param_…` of that connection: the binding's own
 * parameters are shared by the whole process and clobber each other.
 */
export class Engine {
  readonly #folder: string;
  // The engine shuts down when its last connection closes.
  readonly #keeper: Session;

  constructor(folder: string, connectionArgs: readonly string[]) {
    this.#folder = folder;
    this.#keeper = new Session(folder, { connectionArgs });
  }

  /** The whole result in memory; whoever calls bounds it with `max_result_bytes`. */
  async run(query: EngineQuery): Promise<EngineAnswer> {
    const session = new Session(this.#folder);
    try {
      const text = `${query.prelude}${query.statement}`;
      const result = await session.queryAsync(text, { format: query.format });
      const bytes = result.bytes();
      return {
        bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        rowsRead: result.rowsRead,
        bytesRead: result.bytesRead,
        elapsedSeconds: result.elapsed,
      };
    } catch (error) {
      throw toEngineException(error);
    } finally {
      session.close();
    }
  }

  /** A SELECT's result chunk by chunk, never collected. Ending the iteration early cancels the query. */
  async *stream(query: EngineQuery): AsyncGenerator<Buffer> {
    const session = new Session(this.#folder);
    let stream: ChdbQueryStream | undefined;
    try {
      await session.queryAsync(query.prelude, { format: 'Null' });
      stream = session.queryStream(query.statement, { format: query.format });
      for await (const chunk of stream) {
        const bytes = chunk.raw();
        yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      }
    } catch (error) {
      throw toEngineException(error);
    } finally {
      session.close();
    }
  }

  /** Ends the running query of this `log_comment`: the binding cannot, but another connection can. */
  async cancel(tag: string): Promise<void> {
    await this.run({
      prelude: '',
      statement: `KILL QUERY WHERE Settings['log_comment'] = ${quoteString(tag)} ASYNC`,
      format: 'Null',
    });
  }

  close(): void {
    this.#keeper.close();
  }
}
