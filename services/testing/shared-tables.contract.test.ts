import { expect, test } from 'vitest';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import { insertBlockTransfers } from '../warehouse/sink/insert-block-transfers.ts';
import { buildRecords } from './build-records.ts';
import { borrowTables } from './shared-tables.ts';

const countsOf = async ({ writer }: { writer: WarehouseClient }): Promise<unknown> => {
  const counts = ['blocks', 'transfers', 'retracted', 'wrapped_native', 'migrations']
    .map((table) => `(SELECT count() FROM ${table})`)
    .join(', ');
  const answer = await writer.query({ query: `SELECT ${counts}`, format: 'JSONCompactEachRow' });
  return (await answer.json<unknown[]>())[0];
};

test('the next file finds the tables as they were made, and may insert the same batch', async () => {
  const first = await borrowTables();
  const { warehouse } = first;
  const made = await countsOf(warehouse);
  const records = buildRecords({ firstBlock: 1, blocks: 2, movementsPerBlock: 3 });
  const fill = async () => {
    await insertBlockTransfers(warehouse, { records, token: 'the same' });
    await warehouse.writer.command({ query: 'INSERT INTO retracted SELECT 1' });
    await warehouse.writer.command({ query: "INSERT INTO wrapped_native VALUES ('chain', 'asset')" });
    return countsOf(warehouse);
  };
  const filled = await fill();
  expect(filled).not.toEqual(made);
  await first.giveBack();
  const second = await borrowTables();
  expect(second.warehouse.pid).toBe(warehouse.pid);
  expect(await countsOf(second.warehouse)).toEqual(made);
  expect(await fill()).toEqual(filled);
  await second.giveBack();
});

test.each([
  ['a table that was made', 'CREATE TABLE more (a UInt8) ENGINE = Memory'],
  ['a column that was added', 'ALTER TABLE blocks ADD COLUMN more UInt8'],
])('%s is told of the file that did it, and reaches no other', async (_, query) => {
  const { warehouse, giveBack } = await borrowTables();
  await warehouse.writer.command({ query });
  await expect(giveBack()).rejects.toThrow('an engine of their own');
  const next = await borrowTables();
  expect(next.warehouse.pid).not.toBe(warehouse.pid);
  await next.giveBack();
});

test('an engine that was killed reaches no other file', async () => {
  const { warehouse, giveBack } = await borrowTables();
  const { pid } = warehouse;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => warehouse.pid, { timeout: 60_000 }).not.toBe(pid);
  await expect(giveBack()).rejects.toThrow('an engine of their own');
});
