import { appendFileSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The range of insert numbers that a part covers, within one partition. */
type PartRange = { readonly partition: string; readonly from: number; readonly to: number };
/** An insert's token and the part that it became. */
type Entry = { readonly part: string; readonly id: string };

/**
 * The engine records an insert's token before it moves the rows into place. If it is killed in between, it
 * takes a repeated batch for a duplicate, and the rows are lost for ever. So this deletes the tokens of parts
 * that do not exist. Call it before the engine starts, while holding the folder.
 */
export const forgetLostParts = (data: string): void => {
  for (const folder of globSync(join(data, 'store', '*', '*'))) {
    const logs = logsOf(folder);
    const newest = logs.at(-1);
    if (newest === undefined) continue;
    // A part gets its name when it is complete on disk. One that was merged or dropped is covered by another.
    const parts = readdirSync(folder).flatMap((name) => rangeOf(name) ?? []);
    const lost = readEntries(logs).filter(({ part }) => !isHeld(part, parts));
    if (lost.length > 0)
      appendFileSync(newest, lost.map(({ part, id }) => `${DROPPED}\t${part}\t${id}\n`).join(''));
  }
};

const LOG = /^deduplication_log_(\d+)\.txt$/;
const numberOf = (file: string): number => Number(LOG.exec(file)?.[1]);

/** Oldest first. */
const logsOf = (folder: string): readonly string[] => {
  const logs = join(folder, 'deduplication_logs');
  if (!existsSync(logs)) return [];
  const files = readdirSync(logs).filter((file) => LOG.test(file));
  return files.sort((a, b) => numberOf(a) - numberOf(b)).map((file) => join(logs, file));
};

const DROPPED = '2';

const readEntries = (logs: readonly string[]): readonly Entry[] => {
  const parts = new Map<string, string>();
  for (const line of logs.flatMap((log) => readFileSync(log, 'utf8').split('\n'))) {
    const [operation, part, id] = line.split('\t');
    if (part === undefined || id === undefined) continue;
    if (operation === DROPPED) parts.delete(id);
    else parts.set(id, part);
  }
  return [...parts].map(([id, part]) => ({ part, id }));
};

/**
 * `partition_first_last_level`, with `_mutation` appended when its rows were changed. Temporary parts have
 * another prefix.
 */
const rangeOf = (part: string): PartRange | null => {
  const [, partition, from, to] = /^([^_]+)_(\d+)_(\d+)_\d+(?:_\d+)?$/.exec(part) ?? [];
  return partition === undefined ? null : { partition, from: Number(from), to: Number(to) };
};

const isHeld = (part: string, parts: readonly PartRange[]): boolean => {
  const wanted = rangeOf(part);
  return parts.some(
    ({ partition, from, to }) => partition === wanted?.partition && from <= wanted.from && to >= wanted.to,
  );
};
