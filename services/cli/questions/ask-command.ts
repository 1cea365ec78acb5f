import { Command } from 'commander';
import type { CsvRow } from '../../platform/write-csv.ts';
import { createSpoor, type Spoor } from '../../sdk/create-spoor.ts';
import { example } from '../example.ts';
import { interruptSignal } from '../interrupt.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { chooseServer, type ServerOptions, withServerOptions } from '../server-options.ts';
import { explainSilence } from './explain-silence.ts';
import { printRows } from './print-rows.ts';
import { startOwnServer } from './start-own-server.ts';

type Output = { readonly json?: boolean; readonly csv?: boolean };

/** How a question is asked on the command line, and how its answer is shown. */
export type Question<Options, Answer> = {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly (readonly [name: string, description: string])[];
  readonly addOptions: (command: Command) => Command;
  /** A whole command line that works on generated data. */
  readonly example: string;
  readonly ask: (
    spoor: Spoor,
    values: readonly string[],
    options: Options,
    signal: AbortSignal,
  ) => Promise<Answer>;
  /** Lines for a terminal, already safe to print. */
  readonly draw: (answer: Answer) => string;
  /** Rows for `--csv`: one per entry, with the same columns. */
  readonly rows: (answer: Answer) => readonly CsvRow[];
  /** Default: the first row's columns. */
  readonly columns?: readonly string[];
};

/** A command that asks a running server and prints its answer as a drawing, JSON or CSV. */
export const askCommand = <Options, Answer>(question: Question<Options, Answer>): Command => {
  const command = new Command(question.name).description(question.description);
  for (const [name, description] of question.arguments) command.argument(`<${name}>`, description);
  withServerOptions(question.addOptions(command))
    .option('--local', 'ask the store in SPOOR_DATA, while no server runs on it')
    .option('--json', 'the whole answer as one line of JSON')
    .option('--csv', 'rows as CSV, with a header')
    .addHelpText('after', example(question.example));
  return command.action(async (...input: unknown[]) => {
    const values = input.slice(0, question.arguments.length) as string[];
    const options = input[question.arguments.length] as ServerOptions & Output & Options;
    const { key, json, csv, local } = options;
    const signal = interruptSignal();
    const ask = async (url: URL): Promise<Answer> =>
      question.ask(createSpoor({ url, ...(key !== undefined && { key }) }), values, options, signal);
    const answer = await (local
      ? whileWaiting('asking the local store', () => askOwnServer(ask, signal))
      : askRunning(ask, chooseServer(options)));
    if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
    else if (csv) printRows(question.rows(answer), question.columns);
    else process.stdout.write(`${question.draw(answer)}\n`);
  });
};

const askRunning = <Answer>(ask: (url: URL) => Promise<Answer>, url: URL): Promise<Answer> =>
  whileWaiting(`asking ${url.host}`, () => ask(url).catch(explainSilence(url)));

const askOwnServer = async <Answer>(
  ask: (url: URL) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> => {
  const server = await startOwnServer(signal);
  return ask(server.url).finally(server.stop);
};
