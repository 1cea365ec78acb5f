import { quoteString } from '../sql-tokens.ts';
import type { Engine } from './engine.ts';
import { EngineException, toEngineException } from './engine-exception.ts';
import { readStatement, type Statement } from './statement.ts';

const REMEMBERED = 2_000;
const REMEMBERED_TEXT_MAX = 16 * 1024;

/**
 * Lets the engine's own parser read a text, given to it as a string value, so that nothing in it can be executed.
 * Refuses several statements in one text. Remembers what it read: the service asks the same questions again and again.
 */
export class StatementReader {
  readonly #engine: Engine;
  readonly #queryBytesMax: number;
  readonly #remembered = new Map<string, Statement>();

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
    if (text.length > REMEMBERED_TEXT_MAX) return;
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size >= REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
    this.#remembered.set(text, statement);
  }
}

/** The parser's complaint, without the statement of ours in which it was made. */
function withoutOurQuestion(error: unknown): EngineException {
  const { code, type, message } = toEngineException(error);
  return new EngineException(code, type, message.split(': In scope SELECT formatQuery(')[0] ?? message);
}
