import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export type Difference = {
  readonly name: string;
  /** Where the two begin to differ, with a little before it; null where one recording lacks the question. */
  readonly before: string | null;
  readonly after: string | null;
};

export type Compared = { readonly same: number; readonly differences: readonly Difference[] };

/** Every question whose answers are not the same byte for byte, and those that only one recording has. */
export const compare = async (before: string, after: string): Promise<Compared> => {
  const known = await readAll(before);
  const differences: Difference[] = [];
  let same = 0;
  for (const [name, text] of await readAll(after)) {
    const was = known.get(name);
    known.delete(name);
    if (was === text) same += 1;
    else if (was === undefined) differences.push({ name, before: null, after: text.slice(0, SHOWN) });
    else differences.push({ name, ...around(was, text) });
  }
  for (const [name, text] of known) differences.push({ name, before: text.slice(0, SHOWN), after: null });
  return { same, differences };
};

const SHOWN = 200;
const LEAD = 60;

const around = (before: string, after: string): { before: string; after: string } => {
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const from = Math.max(0, at - LEAD);
  return { before: before.slice(from, from + SHOWN), after: after.slice(from, from + SHOWN) };
};

const readAll = async (file: string): Promise<Map<string, string>> => {
  const answers = new Map<string, string>();
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity })) {
    const at = line.indexOf('\t');
    answers.set(line.slice(0, at), line.slice(at + 1));
  }
  return answers;
};
