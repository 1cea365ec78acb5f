import { quoteString } from '../sql-tokens.ts';
import type { Engine } from './engine.ts';
import { EngineException, toEngineException } from './engine-exception.ts';
import { readStatement, type Statement } from './statement.ts';

/** The longest of our own questions has some thousand tokens. */
const TOKEN_BYTES = 200;
const REMEMBERED_BYTES_MAX = 40 << 20;
/** One statement is at most this part of all. */
const SHARE = 40;

/**
 * Lets the engine's own parser read a text, given to it as a string value, so that nothing in it can be executed.
 * Refuses several statements in one text. Remembers what it read: the service asks the same questions again and again.
 */
export class StatementReader {
  readonly #engine: Engine;
  readonly #queryBytesMax: number;
  readonly #remembered = new Map<string, Statement>();
  #bytes = 0;

  constructor(engine: Engine, queryBytesMax: number) {
    this.#engine = engine;
    this.#queryBytesMax = queryBytesMax;
  }

  async read(text: string): Promise<Statement> {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered;
    if (text.trim() === '') throw new EngineException(62, 'SYNTAX_ERROR', 'Empty query');
    const limits = `max_query_size = ${2 * this.#queryBytesMax + 1024}, max_parser_depth = 1000`;
    const answer = await this.#engine
      .run({
        prelude: `SET ${limits}; `,
        statement: `SELECT formatQuery(${quoteString(text)})`,
        format: 'RawBLOB',
      })
      .catch((error: unknown) => {
        throw withoutOurQuestion(error);
      });
    const statement = readStatement(answer.bytes.toString('utf8'));
    this.#remember(text, statement);
    return statement;
  }

  #remember(text: string, statement: Statement): void {
    if (bytesOf(text, statement) > REMEMBERED_BYTES_MAX / SHARE) return;
    this.#forget(text);
    this.#remembered.set(text, statement);
    this.#bytes += bytesOf(text, statement);
    for (const oldest of this.#remembered.keys()) {
      if (this.#bytes <= REMEMBERED_BYTES_MAX) return;
      this.#forget(oldest);
    }
  }

  #forget(text: string): void {
    const statement = this.#remembered.get(text);
    if (statement === undefined) return;
    this.#remembered.delete(text);
    this.#bytes -= bytesOf(text, statement);
  }
}

const bytesOf = (text: string, { canonical, tokens }: Statement): number =>
  2 * (text.length + canonical.length) + TOKEN_BYTES * tokens.length;

/** The parser's complaint, without the statement of ours in which it was made. */
function withoutOurQuestion(error: unknown): EngineException {
  const { code, type, message } = toEngineException(error);
  return new EngineException(code, type, message.split(': In scope SELECT formatQuery(')[0] ?? message);
}
