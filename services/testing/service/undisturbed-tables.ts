import { join } from 'node:path';
import { PROGRAMS, startProgram } from '../run-program.ts';
import { sumTablesIn, type TableSums } from '../table-sums.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { startGatedChains } from './gated-chains.ts';
import { stopProgram, untilIndexed, urlOf } from './running-service.ts';

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
  const { env } = await startGatedChains({ isOpen: true });
  const folder = temporaryFolder();
  const server = startProgram(PROGRAMS.server, [], { ...env, SPOOR_DATA: folder, SPOOR_PORT: '0' });
  await untilIndexed(await urlOf(server));
  await stopProgram(server);
  return ofBlocks(await sumTablesIn(join(folder, 'chain', 'warehouse')));
};

/** Rows and sums of the gated chains' tables where nothing ever failed, on the embedded engines; measured once a file. */
export const undisturbedTables = (): Promise<Sums> => {
  once ??= run();
  return once;
};
