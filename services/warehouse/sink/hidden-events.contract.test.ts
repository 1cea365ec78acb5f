import { expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, range, SinkStage } from '../../testing/sink-stage.ts';
import { DELETED_AT_ONCE, deleteRetracted } from './delete-retracted.ts';
import { hideRetracted } from './hide-retracted.ts';

const HEAD = 'transfers.head';
const stage = new SinkStage();

const COUNT = 3 * DELETED_AT_ONCE;
const blocks = (first: number, transactions: number): DecodedBlock[] =>
  Array.from({ length: COUNT }, (_, index) => ({ ...blockOf(first + index, transactions), assets: [] }));
const countHidden = async (): Promise<number> =>
  Number((await stage.ask('SELECT uniqExact(sequence) FROM retracted'))[0]?.[0]);
/** Hidden rows that still lie in the table. */
const countRows = async (): Promise<number> =>
  Number(
    (
      await stage.ask('SELECT count() FROM blocks WHERE sequence IN (SELECT sequence FROM retracted)')
    )[0]?.[0],
  );

test('what is hidden stays little when fuller copies of very many blocks of the head and of ranges come', async () => {
  await stage.append(stage.encoded(...blocks(1, 1)), 1, HEAD);
  await stage.append(stage.encoded(...blocks(10_000, 1)), 2);
  await stage.drain();
  const fuller = [...blocks(1, 2), ...blocks(10_000, 2)];
  await stage.append(stage.encoded(...fuller), 3);
  await stage.drain();
  expect(await countHidden()).toBeLessThan(DELETED_AT_ONCE);
  expect(await countRows()).toBe(await countHidden());
  await stage.expectTables(fuller, { without: ['assets'] });
});

test('a sink deletes at its start what was left hidden, though nothing comes', async () => {
  await stage.append(stage.encoded(...blocks(1, 1)));
  await stage.drain();
  const hidden = await stage.ask('SELECT sequence FROM blocks');
  await hideRetracted(stage.warehouse.writer, hidden.map(Number));
  const running = stage.sink();
  await expect.poll(countHidden, PATIENCE).toBeLessThan(DELETED_AT_ONCE);
  await running.stop();
});

test('a sink stores what comes however much is hidden', async () => {
  await stage.warehouse.writer.command({
    query: 'INSERT INTO retracted SELECT 4096 * number + 1 FROM numbers(1000001)',
  });
  await stage.append(stage.encoded(...range(1, 5)), 3);
  await stage.drain();
  expect(await stage.ask('SELECT count() FROM blocks')).toEqual([['5']]);
});

test('what is hidden of events whose insert may be repeated is not deleted', async () => {
  await hideRetracted(stage.warehouse.writer, [2, 4_098, 3]);
  const ends = [{ slot: 2, end: 4_098 }];
  expect(await deleteRetracted(stage.warehouse.writer, { ends, atOnce: 1 })).toBe(1);
  expect(await stage.ask('SELECT sequence FROM retracted ORDER BY sequence')).toEqual([['3'], ['4098']]);
});
