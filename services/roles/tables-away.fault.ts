import { test } from 'vitest';
import { startGatedChains } from '../testing/service/gated-chains.ts';
import { untilIndexed } from '../testing/service/running-service.ts';
import { startAtGate, startTables } from '../testing/service/service-on-brokers.ts';
import type { watchFaults } from '../testing/service/watch-faults.ts';
import { sumTables } from '../testing/table-sums.ts';

const TIMEOUT_MS = 300_000;

/** On brokers, with tables that cannot be reached for so long. */
export const testTablesAway = (
  engines: { readonly brokers: string; readonly registryUrl: string },
  watch: ReturnType<typeof watchFaults>,
  awayMs: number,
): void => {
  test(`while the tables are out of reach for ${awayMs / 1_000} seconds amid the blocks, the brokers take what comes, and it says so`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const chains = await startGatedChains();
    const tables = await startTables();
    const { server, url } = await startAtGate(engines, chains, tables.env);
    const cut = (): void => {
      tables.cut();
      chains.open();
    };
    await watch.during({
      ...{ program: server, url, begin: cut, lastsMs: awayMs, end: tables.mend },
      says: { event_log: 'ok', warehouse: 'down' },
    });
    await untilIndexed(url);
    watch.atEnd([server], () => sumTables(tables.writer));
  });
};
