import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { DATABASE } from '../../roles/store/database.ts';
import { PATIENCE } from '../patience.ts';
import { PROGRAMS, runProgram, startProgram } from '../run-program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { GatedChains } from './gated-chains.ts';
import { statusOf, urlOf } from './running-service.ts';
import { startWarehouseServer } from './warehouse-server.ts';

type Running = { readonly brokers: string; readonly registryUrl: string };

/** The environment of programs on these engines, whose topics nobody else uses. */
export const stage = async (engines: Running, chains: GatedChains) => {
  const env = {
    ...chains.env,
    KAFKA_BROKERS: engines.brokers,
    SCHEMA_REGISTRY_URL: engines.registryUrl,
    KAFKA_PREFIX: `${randomUUID()}.`,
    SPOOR_DATA: temporaryFolder(),
    SPOOR_PORT: '0',
  };
  const { code, stderr } = await runProgram(PROGRAMS.cli, ['topics', 'apply'], env);
  expect(code, stderr).toBe(0);
  return env;
};

export const startTables = async (folder = temporaryFolder()) => {
  const tables = await startWarehouseServer(folder, DATABASE);
  onTestFinished(() => tables.stop());
  return tables;
};

/** Until the log holds all that the nodes give out, and the status says why there is no more. */
export const untilGate = (url: string): Promise<void> =>
  expect
    .poll(async () => (await statusOf(url)).components.chains.map(({ trouble }) => trouble), PATIENCE)
    .toEqual(['rate_limited', 'rate_limited']);

/** A server whose log holds all that the nodes give out. */
export const startAtGate = async (
  engines: Running,
  chains: GatedChains,
  tables: { readonly [name: string]: string } = {},
) => {
  const env = { ...(await stage(engines, chains)), ...tables };
  const server = startProgram(PROGRAMS.server, [], env);
  const url = await urlOf(server);
  await untilGate(url);
  return { env, server, url };
};
