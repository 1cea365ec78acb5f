import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteIdentifier, quoteString } from '../sql-tokens.ts';
import type { Engine } from './engine.ts';

/** Numbers of the inserts whose rows a part holds, of one partition. */
type PartRange = { readonly partition: string; readonly from: number; readonly to: number };
type Table = { readonly name: string; readonly folder: string; readonly parts: readonly PartRange[] };
/** That an insert, told by its token, became this part. */
type Entry = { readonly part: string; readonly id: string };

/**
 * The engine writes down the token of an insert before it puts the rows in their place. Killed between the two, it would take
 * the same batch for stored when it comes again, and its rows would be missing for ever. So tokens are taken back whose parts
 * never came, before anybody inserts. To be called by whoever has the folder to himself.
 */
export async function forgetLostParts(engine: Engine, database: string): Promise<void> {
  for (const { name, folder, parts } of await readTables(engine, database)) {
    const logs = logsOf(folder);
    const newest = logs.at(-1);
    const lost = readEntries(logs).filter(({ part }) => !isHeld(part, parts));
    if (newest === undefined || lost.length === 0) continue;
    appendFileSync(newest, lost.map(({ part, id }) => `${DROPPED}\t${part}\t${id}\n`).join(''));
    // The engine reads its tokens only when it opens a table.
    const table = `${quoteIdentifier(database)}.${quoteIdentifier(name)}`;
    for (const verb of ['DETACH', 'ATTACH']) await run(engine, `${verb} TABLE ${table}`);
  }
}

const readTables = async (engine: Engine, database: string): Promise<readonly Table[]> => {
  const answer = await run(
    engine,
    `SELECT name, data_paths[1], groupArrayIf((partition_id, min_block_number, max_block_number), active = 1)
    FROM system.tables LEFT JOIN
    (
      SELECT table, partition_id, min_block_number, max_block_number, active
      FROM system.parts WHERE database = ${quoteString(database)}
    ) AS parts ON parts.table = name
    WHERE database = ${quoteString(database)} AND engine LIKE '%MergeTree'
    GROUP BY ALL`,
  );
  type Row = readonly [string, string, readonly (readonly [string, string, string])[]];
  return answer.map((line) => {
    const [name, folder, ranges] = JSON.parse(line) as Row;
    const parts = ranges.map(([partition, from, to]) => ({ partition, from: Number(from), to: Number(to) }));
    return { name, folder, parts };
  });
};

const run = async (engine: Engine, statement: string): Promise<readonly string[]> => {
  const { bytes } = await engine.run({ prelude: '', statement, format: 'JSONCompactEachRow' });
  return bytes.toString('utf8').split('\n').filter(Boolean);
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

/** `partition_first_last_level`; a part that merged it holds it too. */
const isHeld = (part: string, parts: readonly PartRange[]): boolean => {
  const [, partition, from, to] = /^(.+)_(\d+)_(\d+)_\d+$/.exec(part) ?? [];
  return parts.some(
    (range) => range.partition === partition && range.from <= Number(from) && range.to >= Number(to),
  );
};
