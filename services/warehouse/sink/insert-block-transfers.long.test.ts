import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import {
  type EmbeddedWarehouse,
  startEmbeddedWarehouse,
} from '../../platform/warehouse-engine/embedded/start-embedded-warehouse.ts';
import { buildRecords } from '../../testing/build-records.ts';
import { migrate } from '../migrate/migrate.ts';
import { insertBlockTransfers } from './insert-block-transfers.ts';

const TABLES = [
  ...['blocks', 'transfers', 'account_entries', 'transactions', 'swaps', 'assets'],
  ...['bridge_transfers', 'bridge_messages', 'control_entries', 'control_blocks'],
];
const fingerprint = async ({ reader }: EmbeddedWarehouse) => {
  const query = TABLES.map(
    (table) => `SELECT '${table}' AS name, count(), sum(cityHash64(*)) FROM ${table} FINAL`,
  );
  // FINAL is for the tables that replace rows, and means nothing to the others.
  const plain = query.map((text) => (text.includes('FROM assets') ? text : text.replace(' FINAL', '')));
  const answer = await reader.query({
    query: `SELECT * FROM (${plain.join(' UNION ALL ')}) ORDER BY name`,
    format: 'JSONCompactEachRow',
  });
  return answer.json();
};

/** Each of them is hit by a kill. */
const BATCHES = 8;

const batches = Array.from({ length: BATCHES }, (_, i) =>
  buildRecords({ firstBlock: 1_000 + i * 40, blocks: 40, movementsPerBlock: 500 }),
);
const delayMs = (batch: number) => 15 + (batch * 176) / BATCHES;
const folder = mkdtempSync(join(tmpdir(), 'spoor-sink-fault-'));
let warehouse: EmbeddedWarehouse | undefined;
afterEach(async () => {
  await warehouse?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('batches sent again after kills in the middle of them make the same tables as an undisturbed run', async () => {
  const undisturbed = await startEmbeddedWarehouse({
    folder: join(folder, 'undisturbed'),
    database: 'spoor',
  });
  await migrate(undisturbed);
  for (const [i, records] of batches.entries()) {
    await insertBlockTransfers(undisturbed, { records, token: `batch-${i}` });
  }
  const expected = await fingerprint(undisturbed);
  await undisturbed.close();

  const started = await startEmbeddedWarehouse({ folder: join(folder, 'killed'), database: 'spoor' });
  warehouse = started;
  await migrate(started);
  let kills = 0;
  for (const [i, records] of batches.entries()) {
    const token = `batch-${i}`;
    for (let attempt = 0; ; attempt++) {
      const inserting = insertBlockTransfers(started, { records, token }).then(
        () => true,
        () => false,
      );
      if (attempt === 0) {
        // Each batch is hit at another point of its way through the tables.
        await sleep(delayMs(i));
        process.kill(started.pid, 'SIGKILL');
        kills += 1;
      }
      if (await inserting) break;
      await sleep(100);
    }
    await expect
      .poll(() => started.reader.ping({ select: true }), { timeout: 60_000 })
      .toMatchObject({ success: true });
  }
  expect(kills).toBe(batches.length);
  expect(await fingerprint(started)).toEqual(expected);
});
