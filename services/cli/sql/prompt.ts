import { createInterface } from 'node:readline';
import { messageOf } from '../../platform/message-of.ts';
import { showableLines } from '../../platform/showable.ts';
import { splitStatements } from '../../platform/warehouse-engine/split-statements.ts';
import { quoteIdentifier, UnfinishedTokenError } from '../../platform/warehouse-engine/sql-tokens.ts';

export const WELCOME = `Statements end with ";". \\d lists the views, \\d NAME explains one, \\q leaves.\n`;
const PROMPT = 'spoor> ';
const MORE = '  ...> ';

/** Splits typed text into whole statements and the rest. */
export const takeStatements = (
  typed: string,
): { readonly whole: readonly string[]; readonly rest: string } => {
  const [, name] = /^\s*\\d(?:\s+(\w+))?\s*;?\s*$/.exec(typed) ?? [];
  if (name !== undefined)
    return { whole: [`SELECT name, type, comment FROM (DESCRIBE TABLE ${quoteIdentifier(name)})`], rest: '' };
  if (/^\s*\\d\s*;?\s*$/.test(typed))
    return {
      whole: ['SELECT name, comment FROM system.tables WHERE database = currentDatabase()'],
      rest: '',
    };
  try {
    if (!/;\s*$/.test(typed)) return { whole: [], rest: typed };
    return { whole: splitStatements(typed), rest: '' };
  } catch (error) {
    // A ";" inside quotes or a comment.
    if (error instanceof UnfinishedTokenError) return { whole: [], rest: typed };
    throw error;
  }
};

type Asked = (sql: string, signal: AbortSignal) => Promise<void>;
type Streams = { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream };

/** Reads statements and runs each, until the input ends. An interrupt ends the question, or drops the typed text. */
export const runPrompt = async (ask: Asked, { input, output }: Streams): Promise<void> => {
  const lines = createInterface({ input, output, prompt: PROMPT, historySize: 1_000 });
  let [typed, asking, isOpen] = ['', new AbortController(), true];
  lines.on('close', () => {
    isOpen = false;
  });
  const prompt = (): void => {
    lines.setPrompt(typed === '' ? PROMPT : MORE);
    // The input may end during a question.
    if (isOpen) lines.prompt();
  };
  lines.on('SIGINT', () => {
    asking.abort();
    typed = '';
    output.write('\n');
    prompt();
  });
  output.write(WELCOME);
  prompt();
  for await (const line of lines) {
    if (typed === '' && /^\s*(\\q|exit|quit)\s*;?\s*$/.test(line)) break;
    const { whole, rest } = takeStatements(typed === '' ? line : `${typed}\n${line}`);
    typed = rest.trim() === '' ? '' : rest;
    for (const sql of whole) {
      asking = new AbortController();
      await ask(sql, asking.signal).catch((error: unknown) => {
        if (!asking.signal.aborted) output.write(`${showableLines(messageOf(error))}\n`);
      });
    }
    prompt();
  }
  lines.close();
};
