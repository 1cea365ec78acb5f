import { text } from 'node:stream/consumers';
import { Command, InvalidArgumentError, Option } from 'commander';
import { loadConfig } from '../../platform/config/config.ts';
import { isHttpAddress } from '../../platform/login.ts';
import { splitStatements } from '../../platform/warehouse-engine/split-statements.ts';
import { example } from '../example.ts';
import { interruptSignal } from '../interrupt.ts';
import { askEngine, FORMATS, type Format } from '../sql/ask-engine.ts';
import { showAnswer, writeAnswer } from '../sql/print-answer.ts';
import { runPrompt } from '../sql/prompt.ts';
import { reachAnalyst } from '../sql/reach-analyst.ts';

class UnreadableOutputError extends Error {
  readonly code = 'unreadable_output';
  constructor() {
    super('Parquet is no text for a terminal: name a file with --output, or send it on with > or |');
    this.name = 'UnreadableOutputError';
  }
}

type Options = {
  readonly format: Format;
  readonly output?: string;
  readonly url?: string;
  readonly json?: boolean;
};

const parseUrl = (text: string): string => {
  if (isHttpAddress(text)) return text;
  throw new InvalidArgumentError('It must be http://user:password@host:port/?database=name, or https.');
};

const NOTE = `
Without a statement it reads them from stdin, or prompts for them in a terminal. SHOW TABLES lists the views;
docs/analysts.md has twenty questions with their answers.`;

/** `spoor sql`: queries the analysts' views. */
export const sqlCommand = (): Command =>
  new Command('sql')
    .description('Ask the tables in SQL, as a user who can only read the views for analysts.')
    .argument('[statement...]', 'one statement, or several with ";" between them')
    .addOption(
      new Option('--format <format>', 'of the answer').choices(Object.keys(FORMATS)).default('table'),
    )
    .option('--output <file>', 'write the answer there in place of stdout')
    .option(
      '--url <url>',
      'another engine: http://analyst:PASSWORD@HOST:PORT/?database=spoor_analyst; default: the one of SPOOR_DATA',
      parseUrl,
    )
    .option('--json', 'the same as --format json')
    .addHelpText('after', NOTE)
    .addHelpText(
      'after',
      example(
        'spoor sql "SELECT symbol, count() FROM transfers GROUP BY symbol"',
        'spoor sql --format parquet --output swaps.parquet "SELECT * FROM swaps"',
      ),
    )
    .action(async (words: readonly string[], { json, ...options }: Options) => {
      const format = json ? 'json' : options.format;
      const statement = words.length === 0 ? undefined : words.join(' ');
      const isTerminal = options.output === undefined && process.stdout.isTTY;
      refuseUnreadable(format, isTerminal);
      const prompts = statement === undefined && process.stdin.isTTY;
      // At the prompt an interrupt only ends the question.
      const signal = prompts ? new AbortController().signal : interruptSignal();
      const sql = prompts ? '' : (statement ?? (await text(process.stdin)));
      const analyst = await openAnalyst(options.url);
      const ask = askAt(analyst.address, { format, file: options.output, isTerminal });
      try {
        if (prompts) await runPrompt(ask, { input: process.stdin, output: process.stdout });
        else for (const one of splitStatements(sql)) await ask(one, signal);
      } finally {
        await analyst.close();
      }
    });

const openAnalyst = async (url: string | undefined): ReturnType<typeof reachAnalyst> =>
  url === undefined ? reachAnalyst(loadConfig(process.env)) : { address: url, close: async () => {} };

type Answering = {
  readonly format: Options['format'];
  readonly file: string | undefined;
  readonly isTerminal: boolean;
};

const askAt =
  (address: string, { format, file, isTerminal }: Answering) =>
  async (sql: string, signal: AbortSignal): Promise<void> => {
    const answer = await askEngine(address, { sql, format, signal });
    if (isTerminal || (format === 'table' && file === undefined))
      await showAnswer(answer, (line) => process.stdout.write(line));
    else await writeAnswer(answer, { file, signal });
  };

const refuseUnreadable = (format: Format, isTerminal: boolean): void => {
  if (format === 'parquet' && isTerminal) throw new UnreadableOutputError();
};
