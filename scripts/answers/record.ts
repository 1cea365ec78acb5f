import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { isErrored } from 'node:stream';
import { say } from '../bench/bench-store.ts';
import { withWorldTables } from '../evaluate/world-tables.ts';
import { readAskedCases } from './case-questions.ts';
import type { Asked } from './questions.ts';
import { memoryReaders, type Readers, tableReaders } from './readers.ts';
import { questionsOf, readAskedWorld, takeEvenly } from './world-questions.ts';

export type Recording = {
  readonly file: string;
  readonly worlds: readonly number[];
  /** On each chain of a world. */
  readonly people: number;
  /** The folder of real cases; null: none. */
  readonly cases: string | null;
  /** Kinds of questions, such as `trail`; null: all. */
  readonly kinds: readonly string[] | null;
  /** So many questions of each world are asked over the embedded engine instead; null: all over memory. */
  readonly overTables: number | null;
};

/** Writes one line a question: its name, and its answer or how it failed. */
export const record = async (recording: Recording): Promise<void> => {
  const { file, worlds, people, cases, kinds, overTables } = recording;
  const out = createWriteStream(file);
  const counts = new Map<string, Count>();
  const write = async (of: string, all: readonly Asked[], readers: Readers): Promise<void> => {
    const questions = all.filter((asked) => kinds?.includes(kindOf(asked)) ?? true);
    for (const asked of questions) {
      const line = `${JSON.stringify({ name: `${of}: ${asked.name}` })}\t${await answerOf(asked, readers, counts)}\n`;
      if (!out.write(line)) await once(out, 'drain');
    }
    say(`${questions.length} questions about ${of}`);
  };
  for (const seed of worlds) {
    if (overTables === null) {
      const { blocks, known, questions } = readAskedWorld(seed, people);
      await write(`world ${seed}`, questions, memoryReaders(blocks, known));
    } else await recordTables({ seed, people, overTables }, write);
  }
  if (cases !== null && overTables === null)
    for await (const { name, blocks, known, questions } of readAskedCases(cases))
      await write(name, questions, memoryReaders(blocks, known));
  out.end();
  if (!isErrored(out)) await once(out, 'finish');
  for (const [kind, { questions, reads }] of counts) say(`${kind}: ${questions} questions, ${reads} reads`);
};

type OfTables = { readonly seed: number; readonly people: number; readonly overTables: number };

const recordTables = async (
  { seed, people, overTables }: OfTables,
  write: (of: string, questions: readonly Asked[], readers: Readers) => Promise<void>,
): Promise<void> => {
  const blocks: Parameters<typeof questionsOf>[1][number][] = [];
  const onBlock = (block: (typeof blocks)[number]): void => void blocks.push(block);
  await withWorldTables({ seed, people, onBlock }, async ({ client, openTruth }) => {
    const all = questionsOf(openTruth(), blocks);
    const kinds = Map.groupBy(all, kindOf);
    const some = [...kinds.values()].flatMap((of) => takeEvenly(of, Math.ceil(overTables / kinds.size)));
    await write(`tables of world ${seed}`, some, tableReaders(client));
  });
};

const kindOf = ({ name }: Asked): string => name.split(' ', 1)[0] ?? '';

type Count = { questions: number; reads: number };

const answerOf = async (asked: Asked, readers: Readers, counts: Map<string, Count>): Promise<string> => {
  const count = counts.get(kindOf(asked)) ?? { questions: 0, reads: 0 };
  counts.set(kindOf(asked), count);
  count.questions += 1;
  const counting = Object.fromEntries(
    Object.entries(readers).map(([port, reader]) => [port, countReads(reader, count)]),
  ) as Readers;
  try {
    return show(await asked.ask(counting));
  } catch (error) {
    return show({ threw: error instanceof Error ? `${error.name}: ${error.message}` : error });
  }
};

/** How often the question asked its readers, as the cost of an answer that a busy machine does not change. */
const countReads = <Reader extends object>(reader: Reader, count: Count): Reader =>
  Object.fromEntries(
    Object.entries(reader).map(([name, method]) => [
      name,
      (...asked: unknown[]) => {
        count.reads += 1;
        return method(...asked);
      },
    ]),
  ) as Reader;

/** The same text for the same answer, whatever the order of its fields; entries of maps and sets keep theirs. */
const show = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value instanceof Map) return { map: [...value] };
    if (value instanceof Set) return { set: [...value] };
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
