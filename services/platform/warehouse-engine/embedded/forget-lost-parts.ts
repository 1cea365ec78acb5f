import { appendFileSync, existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Numbers of the inserts whose rows a part holds, of one partition. */
type PartRange = { readonly partition: string; readonly from: number; readonly to: number };
/** That an insert, told by its token, became this part. */
type Entry = { readonly part: string; readonly id: string };

/**
 * The engine writes down the token of an insert before it puts the rows in their place. Killed between the two, it would take the
 * same batch for stored when it comes again, and its rows would be missing for ever. So tokens are taken back whose parts never
 * came. To be called before the engine is started, by whoever has the folder to himself.
 */
export const forgetLostParts = (data: string): void => {
  for (const folder of globSync(join(data, 'store', '*', '*'))) {
    const logs = logsOf(folder);
    const newest = logs.at(-1);
    if (newest === undefined) continue;
    // A part gets its name when it is whole and on the disk. One that was merged or dropped is covered by another.
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

/** `partition_first_last_level`, and `_mutation` behind it where its rows were changed. Drafts begin with another word. */
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
