import type { Command } from 'commander';
import type { CsvRow } from '../../platform/write-csv.ts';
import type { CallOptions, Spoor } from '../../sdk/create-spoor.ts';

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
    call: CallOptions,
  ) => Promise<Answer>;
  /** Lines for a terminal, already safe to print. `server` has the options that name the server in further commands. */
  readonly draw: (answer: Answer, server: string) => string;
  /** Rows for `--csv`: one per entry, with the same columns. */
  readonly rows: (answer: Answer) => readonly CsvRow[];
  /** Default: the first row's columns. */
  readonly columns?: readonly string[];
};
