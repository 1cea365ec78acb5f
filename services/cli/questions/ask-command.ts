import { Command } from 'commander';
import { createSpoor } from '../../sdk/create-spoor.ts';
import type { Step } from '../../sdk/read-steps.ts';
import { saveCase } from '../evidence/save-case.ts';
import { example } from '../example.ts';
import { interruptSignal } from '../interrupt.ts';
import { duration } from '../reports/progress.ts';
import { whileWaiting } from '../reports/start-waiting.ts';
import { chooseServer, type ServerOptions, withServerOptions } from '../server-options.ts';
import { explainSilence } from './explain-silence.ts';
import { printRows } from './print-rows.ts';
import type { Question } from './question.ts';
import { recordQuestion } from './record-question.ts';
import { startOwnServer } from './start-own-server.ts';
import { isHash, transactionQuestion } from './transaction-question.ts';

type Output = { readonly json?: boolean; readonly csv?: boolean; readonly save?: string };

/** A command that asks a running server and prints its answer as a drawing, JSON or CSV. */
export const askCommand = <Options, Answer>(question: Question<Options, Answer>): Command => {
  const command = new Command(question.name).description(question.description);
  for (const [name, description] of question.arguments) command.argument(`<${name}>`, description);
  withServerOptions(question.addOptions(command))
    .option('--local', 'ask the store in SPOOR_DATA, while no server runs on it')
    .option('--json', 'the whole answer as one line of JSON')
    .option('--csv', 'rows as CSV, with a header')
    .option('--save <file>', 'also write a signed case of the answer, from the store in SPOOR_DATA')
    .addHelpText('after', example(question.example));
  return command.action(async (...input: unknown[]) => {
    const values = input.slice(0, question.arguments.length) as string[];
    const options = input[question.arguments.length] as ServerOptions & Output & Options;
    const server = againAt(command, options);
    // Who has only the hash of a transaction first needs its wallets.
    if (isHash(values[0] ?? '')) await answerWith(transactionQuestion, values, options, server);
    else await answerWith(question, values, options, server);
  });
};

const answerWith = async <Options, Answer>(
  question: Omit<Question<Options, Answer>, 'addOptions'>,
  values: readonly string[],
  options: ServerOptions & Output & Options,
  server: string,
): Promise<void> => {
  const { key, json, csv, local, save } = options;
  const signal = interruptSignal();
  const recorded = recordQuestion();
  const ask = async (url: URL, note: (line: string) => void): Promise<Answer> => {
    const spoor = createSpoor({ url, fetch: recorded.fetch, ...(key !== undefined && { key }) });
    return question.ask(spoor, values, options, { signal, onStep: (step) => note(drawStep(step)) });
  };
  const answer = await (local
    ? whileWaiting('asking the local store', (note) => askOwnServer((url) => ask(url, note), signal))
    : askRunning(ask, chooseServer(options)));
  if (json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else if (csv) printRows(question.rows(answer), question.columns);
  else process.stdout.write(`${question.draw(answer, server)}\n`);
  // What was paid for is shown whether or not a case of it can be written.
  if (save !== undefined)
    await saveCase({ question: recorded.last(), answer: JSON.stringify(answer) }, save, signal);
};

const askRunning = <Answer>(
  ask: (url: URL, note: (line: string) => void) => Promise<Answer>,
  url: URL,
): Promise<Answer> => whileWaiting(`asking ${url.host}`, (note) => ask(url, note).catch(explainSilence(url)));

/** A line for each history that is read, on stderr: the answer has stdout for itself. */
const drawStep = ({ kind, chain, address, seconds_left: seconds }: Step): string =>
  kind === 'read'
    ? `read ${address} from ${chain}`
    : `reading ${address} from ${chain}${seconds === null ? '' : `, about ${duration(seconds)}`}`;

/** What was said on this command line, not in the environment. */
const againAt = (command: Command, { url, local }: ServerOptions): string => {
  if (local) return '--local';
  const isNamed = url !== undefined && command.getOptionValueSource('url') === 'cli';
  return isNamed ? `--url ${url.href.replace(/\/$/, '')}` : '';
};

const askOwnServer = async <Answer>(
  ask: (url: URL) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> => {
  const server = await startOwnServer(signal);
  return ask(server.url).finally(server.stop);
};
