import { join } from 'node:path';
import { expect } from 'vitest';
import { openStore, type StoreName } from '../../roles/store/open-store.ts';
import { expectEnded } from '../processes.ts';
import { PROGRAMS, type Program, startProgram } from '../run-program.ts';
import { sumTablesIn, type TableSums } from '../table-sums.ts';

/** Of the generated world that is served where nothing else is said. */
export const STORE = 'world-1';

export const startWorld = (folder: string, env: Readonly<Record<string, string>> = {}): Program =>
  startProgram(PROGRAMS.server, [], { SPOOR_DATA: folder, SPOOR_PORT: '0', ...env });

export const stopWorld = async (server: Program): Promise<void> => {
  const children = server.descendants();
  server.process.kill('SIGTERM');
  expect(await server.ended, server.stderr()).toEqual({ code: 0, signal: null });
  await expectEnded(children);
};

export const warehouseOf = (folder: string, store = STORE): string => join(folder, store, 'warehouse');

/** Where each partition of the log ends: what was read in, to the record. */
export const readOffsets = async (folder: string, name: StoreName = STORE) => {
  const store = await openStore({ dataFolder: folder, name, maxQueuedBytes: 1 << 20 });
  try {
    return [await store.log.ranges('transfers.head'), await store.log.ranges('dead-letters')];
  } finally {
    await store.close();
  }
};

/** Labels say when they were read in, and deposit addresses come in their time. */
const OF_LABELS = ['labels', 'service_wallets', 'service_entries'];
const OF_CALLS = [
  ...['ledger_entries', 'ledger_balances', 'payers', 'usage_days'],
  ...['retrace_results', 'retrace_charges'],
];

/** What follows from blocks, whatever run. */
export const sumsOf = async (warehouseFolder: string): Promise<Record<string, TableSums>> => {
  const sums = Object.entries(await sumTablesIn(warehouseFolder));
  return Object.fromEntries(sums.filter(([table]) => ![...OF_LABELS, ...OF_CALLS].includes(table)));
};

export const get = async (url: string, path: string) => {
  const response = await fetch(url + path);
  return { status: response.status, text: await response.text() };
};

export type Status = {
  status: string;
  components: { chains: { chain: string; head: number; indexed: number }[] };
};

export const expectHealthy = async (url: string): Promise<void> => {
  const { status, text } = await get(url, '/status');
  const { status: health, components } = JSON.parse(text) as Status;
  expect({ status, health }).toEqual({ status: 200, health: 'ok' });
  expect(components.chains.map(({ chain }) => chain)).toEqual(['solana', 'ethereum']);
  for (const { head, indexed } of components.chains) expect(indexed).toBe(head);
  expect(await get(url, '/livez')).toMatchObject({ status: 200 });
  expect(await get(url, '/readyz')).toMatchObject({ status: 200 });
  expect(await get(url, '/metrics')).toMatchObject({ status: 404 });
};
