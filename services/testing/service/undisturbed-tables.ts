import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { writeBlockFiles } from '../../demo-world/write-block-files.ts';
import { runCommand } from '../run-command.ts';
import { sumTablesIn, type TableSums } from '../table-sums.ts';
import { WORLD } from './gated-chains.ts';

/** What blocks fill; other tables hold what was said of addresses, with the time at which it was said. */
const TABLES = [
  ...['account_entries', 'assets', 'blocks', 'swaps', 'transactions', 'transfers'],
  ...['control_blocks', 'control_entries'],
];

type Sums = Record<string, TableSums>;

export const ofBlocks = (sums: Sums): Sums =>
  Object.fromEntries(TABLES.flatMap((table) => (sums[table] ? [[table, sums[table]]] : [])));

let once: Promise<Sums> | null = null;

const run = async (): Promise<Sums> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-undisturbed-'));
  try {
    writeBlockFiles(join(folder, 'blocks'), WORLD);
    const env = { SPOOR_DATA: join(folder, 'data') };
    const { code, stderr } = await runCommand(['replay', join(folder, 'blocks')], env);
    expect(code, stderr).toBe(0);
    return ofBlocks(await sumTablesIn(join(folder, 'data', 'chain', 'warehouse')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Rows and sums of the gated chains' tables where nothing ever failed: of files of the same blocks; measured once a file. */
export const undisturbedTables = (): Promise<Sums> => {
  once ??= run();
  return once;
};
