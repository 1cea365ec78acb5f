import { beforeEach, expect, test } from 'vitest';
import { TableStage } from '../testing/table-stage.ts';
import { withMemory } from '../testing/with-memory.ts';
import { diagnose } from './doctor.ts';
import { PARTS_GOOD_MAX } from './table-sizes.ts';

const stage = new TableStage();
beforeEach(() => stage.empty());

/** Every 5th number is missing, every 7th follows another block, of every 9th a part is missing, of every 11th there are two. */
const insertBlocks = (numbers: number): Promise<unknown> =>
  stage.warehouse.writer.command({
    query: `INSERT INTO blocks (chain, number, hash, parent_hash, parent_number, part, parts, sequence)
      SELECT 'base', number, concat(arrayJoin(if(number % 11 = 0, ['', 'other '], [''])), hex(sipHash128(number))),
        hex(sipHash128(number - 1 + (number % 7 = 0))), number - 1, 0, 1 + (number % 9 = 0), number * 4096
      FROM numbers(1, ${numbers}) WHERE number % 5 != 0`,
  });

test('what is wrong with a chain is found wherever the parts meet in which it is read', async () => {
  await insertBlocks(60);
  const { writer } = stage.warehouse;
  const found = await diagnose(writer);
  expect(found.chains).toEqual([{ chain: 'base', blocks: 48, first: 1, last: 59, gaps: 11 }]);
  expect(found.gaps.slice(0, 2)).toEqual([
    { chain: 'base', after: 4, until: 5 },
    { chain: 'base', after: 9, until: 10 },
  ]);
  const numbersOf = (blocks: readonly { number: number }[]) => blocks.map(({ number }) => number);
  // Of 21 and 56 the parent is missing. Which of two blocks the next one follows is not looked at.
  expect(numbersOf(found.mismatched)).toEqual([7, 11, 12, 14, 22, 23, 28, 33, 34, 42, 44, 49]);
  expect(numbersOf(found.incomplete)).toEqual([9, 18, 27, 36, 54]);
  for (const rowsAtOnce of [1, 2, 3, 7, 47, 52, 53])
    expect(await diagnose(writer, { rowsAtOnce }), String(rowsAtOnce)).toEqual(found);
});

test('a chain of any length is looked through with the memory that a part of it takes', async () => {
  await insertBlocks(1_500_000);
  const scarce = withMemory(stage.warehouse.writer, 420 << 20);
  await expect(diagnose(scarce, { rowsAtOnce: 1_500_000 })).rejects.toMatchObject({
    type: 'MEMORY_LIMIT_EXCEEDED',
  });
  const { chains } = await diagnose(scarce);
  expect(chains).toMatchObject([{ blocks: 1_200_000, gaps: 299_999 }]);
});

test('merges are called behind only where a partition has more parts than they leave behind', async () => {
  const { writer } = stage.warehouse;
  const of = async () => (await diagnose(writer)).tables.find(({ table }) => table === 'blocks');
  const insertParts = (count: number) =>
    writer.command({
      query: `INSERT INTO blocks (chain, number, hash, sequence) SELECT 'base', number, '', number FROM numbers(${count})
        SETTINGS max_block_size = 1, min_insert_block_size_rows = 1, min_insert_block_size_bytes = 1, max_insert_threads = 1`,
    });
  await writer.command({ query: 'SYSTEM STOP MERGES blocks' });
  try {
    await insertParts(12);
    expect(await of()).toMatchObject({ parts: 12, merges_behind: false });
    await insertParts(PARTS_GOOD_MAX - 11);
    expect(await of()).toMatchObject({ parts: PARTS_GOOD_MAX + 1, merges_behind: true });
  } finally {
    await writer.command({ query: 'SYSTEM START MERGES blocks' });
  }
});
