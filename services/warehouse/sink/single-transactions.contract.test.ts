import { beforeEach, describe, expect, test } from 'vitest';
import { createTransactionEncoder, type TransactionEncoder } from '../../events/encode-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import { blockParts } from '../../testing/block-parts.ts';
import { blockOf, encodePart, SinkStage } from '../../testing/sink-stage.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';

const stage = new SinkStage();
const schema = loadSchema('TransactionTransfers');
let encode: TransactionEncoder = () => null;
beforeEach(async () => {
  encode = createTransactionEncoder(await stage.store.registry.register(schema));
});

/** What a block holds of one transaction, as a node tells it that was asked for nothing else. */
const aloneOf = (block: DecodedBlock, txIndex: number): DecodedBlock => ({
  ...block,
  transactions: block.transactions.filter((t) => t.txIndex === txIndex),
  movements: block.movements.filter((m) => m.txIndex === txIndex),
  swaps: block.swaps.filter((s) => s.txIndex === txIndex),
  bridgeTransfers: block.bridgeTransfers.filter((b) => b.txIndex === txIndex),
  controlEvents: block.controlEvents.filter((e) => e.txIndex === txIndex),
});
const alone = (block: DecodedBlock, txIndex: number): Buffer => {
  const record = encode(aloneOf(block, txIndex));
  if (!record) throw new Error('a small transaction fits a record');
  return record;
};

/** A transaction is no block: everything but the table of blocks shows it. */
const expectTables = async (shown: { blocks: DecodedBlock[]; alone: DecodedBlock[] }): Promise<void> => {
  const numbers = (await stage.ask(`SELECT number FROM blocks WHERE ${VISIBLE_ROWS}`)).map(([number]) =>
    Number(number),
  );
  expect(numbers.toSorted((a, b) => a - b)).toEqual(shown.blocks.map(({ number }) => number));
  await stage.expectTables([...shown.blocks, ...shown.alone], {
    without: ['blocks', 'control_blocks', 'assets'],
  });
};

test('its columns are those of a block, so that the engine reads both alike', () => {
  const fieldsOf = (json: string) =>
    (JSON.parse(json) as { fields: { name: string; type: unknown }[] }).fields.map(({ name, type }) => ({
      name,
      type,
    }));
  expect(fieldsOf(schema.json)).toEqual(fieldsOf(loadSchema('BlockTransfers').json));
});

describe('a transaction that comes without its block', () => {
  const block = blockOf(7);

  test('is shown once, however often it comes, and is no block', async () => {
    await stage.append([alone(block, 1), alone(block, 1), alone(block, 2)]);
    await stage.drain();
    await stage.append([alone(block, 1)], 3);
    await stage.drain();
    await expectTables({ blocks: [], alone: [aloneOf(block, 1), aloneOf(block, 2)] });
  });

  test.each([
    { name: 'in a later batch', batches: [[0], [1]] },
    { name: 'in the same batch', batches: [[0, 1]] },
    { name: 'before it', batches: [[1], [0]] },
    { name: 'before it in the same batch', batches: [[1, 0]] },
  ])('is replaced by its block that comes $name', async ({ batches }) => {
    const records = [alone(block, 1), ...stage.encoded(block)];
    for (const batch of batches) {
      await stage.append(batch.flatMap((i) => records.slice(i, i + 1)));
      await stage.drain();
    }
    await expectTables({ blocks: [block], alone: [] });
    await stage.refill();
    await expectTables({ blocks: [block], alone: [] });
  });

  test('is replaced whichever partition its block comes in, and stays beside other blocks', async () => {
    await stage.append([alone(block, 0), alone(blockOf(9), 0)], 2);
    await stage.drain();
    await stage.append(stage.encoded(block, blockOf(8)), 5);
    await stage.drain();
    await expectTables({ blocks: [block, blockOf(8)], alone: [aloneOf(blockOf(9), 0)] });
  });

  test('stays where its block turns out not to be storable', async () => {
    const large = blockOf(7, 40);
    const parts = blockParts(large, 2_000).map((part) => encodePart(part));
    const single = alone(large, 1);
    await stage.append([single, ...parts.slice(0, -1), Buffer.from('damaged')]);
    // The batch ends before that is seen.
    await stage.drain({ batchBytesMax: single.length + 1 });
    await expectTables({ blocks: [], alone: [aloneOf(large, 1)] });
    expect(await stage.deadLetters()).toHaveLength(parts.length);
  });

  test.each([
    ['before', [1, 0]],
    ['behind', [0, 1]],
  ])('stays beside a block of an abandoned branch that the head stored %s it', async (_, order) => {
    const fork = { ...blockOf(9), number: 7, hash: 'fork-7' };
    const appends = [
      () => stage.append([alone(block, 1)]),
      () => stage.append(stage.encoded(fork), 0, 'transfers.head'),
    ];
    for (const i of order) {
      await appends[i]?.();
      await stage.drain();
    }
    await expectTables({ blocks: [fork], alone: [aloneOf(block, 1)] });
    await stage.append(stage.encoded(block));
    await stage.drain();
    await expectTables({ blocks: [block], alone: [] });
  });
});
