import { expect, test } from 'vitest';
import { openCodec } from '../../platform/avro/codec.ts';
import { loadSchema, parseSchema } from '../../platform/avro/schemas.ts';
import { HEADER_BYTES } from '../../platform/avro/wire-format.ts';
import { type BlockTransfersPart, blockParts } from '../../testing/block-parts.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, encodePart, range, SinkStage } from '../../testing/sink-stage.ts';

const HISTORY = 'transfers.history';
const stage = new SinkStage();

type Bad = { name: string; reason: RegExp; make: () => Promise<Buffer> | Buffer };

const broken = (change: (part: BlockTransfersPart) => void): Buffer => {
  const [part] = blockParts(blockOf(500)) as [BlockTransfersPart];
  change(part);
  return encodePart(part);
};

const BAD: readonly Bad[] = [
  { name: 'no header', reason: /record of 3 bytes has no header/, make: () => Buffer.from([0, 0, 0]) },
  { name: 'another first byte', reason: /starts with byte 9/, make: () => Buffer.alloc(50, 9) },
  {
    name: 'bytes torn off in its head',
    reason: /its head cannot be read/,
    make: () => encodePart(blockParts(blockOf(500))[0] as object).subarray(0, HEADER_BYTES + 4),
  },
  {
    name: 'bytes torn off in its columns',
    reason: /not a BlockTransfers record: it ends in the middle/,
    make: () => encodePart(blockParts(blockOf(500))[0] as object).subarray(0, -40),
  },
  {
    name: 'bytes behind its end',
    reason: /not a BlockTransfers record: there are bytes after/,
    make: () => Buffer.concat([encodePart(blockParts(blockOf(500))[0] as object), Buffer.alloc(9, 1)]),
  },
  {
    name: 'another schema',
    reason: /schema \d+ is of no event of this topic/,
    make: async () => {
      const codec = await openCodec<object>(stage.store.registry, 'FileIngested');
      const file = { path: 'p', version: 'v', chain: '', block_number: 1, block_hash: '', movements: 0 };
      return codec.encode({ ...file, refused: '' });
    },
  },
  {
    name: 'columns of different length',
    reason: /columns m_\* have different lengths/,
    make: () => broken((part) => void part.m_to.pop()),
  },
  {
    name: 'columns of transactions of different length',
    reason: /columns tx_\* have different lengths/,
    make: () => broken((part) => void part.tx_hash.pop()),
  },
  {
    name: 'an asset without decimals',
    reason: /columns asset\* have different lengths/,
    make: () => broken((part) => void part.asset_decimals.pop()),
  },
  {
    name: 'counts of movements that do not add up',
    reason: /tx_movements count \d+ rows, but there are 6/,
    make: () => broken((part) => part.tx_movements.fill(9)),
  },
  {
    name: 'counts of swaps that do not add up',
    reason: /tx_swaps count \d+ rows, but there are 3/,
    make: () => broken((part) => part.tx_swaps.fill(0)),
  },
  {
    name: 'a negative count',
    reason: /tx_movements has a negative count/,
    make: () => broken((part) => part.tx_movements.splice(0, 2, -1, 5)),
  },
  {
    name: 'a kind that nobody knows',
    reason: /m_kind has a kind that nobody knows/,
    make: () => broken((part) => part.m_kind.fill(99)),
  },
  {
    name: 'an amount of more than 256 bits',
    reason: /m_amount has an amount of more than 256 bits/,
    make: () => broken((part) => part.m_amount.fill(Buffer.alloc(33, 1))),
  },
  {
    name: 'a part that its block does not have',
    reason: /its head cannot be read/,
    make: () => broken((part) => Object.assign(part, { part: 3, parts: 2 })),
  },
  {
    name: 'a negative number of a block',
    reason: /the number of its block is negative/,
    make: () => broken((part) => Object.assign(part, { block_number: -5 })),
  },
  {
    name: 'a negative number of a block that its chain abandoned',
    reason: /the number of its block is negative/,
    make: () =>
      stage.store.encodeRetraction({ chain: 'solana', blockNumber: -5, blockHash: 'h', offsets: [0] }),
  },
  {
    name: 'a place of a movement beyond 32 bits',
    reason: /m_index has a number of more than 32 bits/,
    make: () => {
      const wide = parseSchema(loadSchema('BlockTransfers').json.replaceAll('"int"', '"long"')).type;
      const [part] = blockParts(blockOf(500)) as [BlockTransfersPart];
      part.m_index.fill(2 ** 40);
      return encodePart(part, undefined, { type: wide });
    },
  },
];

test('a record that can never be stored is a dead letter with its reason, and the blocks around it are stored', async () => {
  const blocks = range(1, BAD.length);
  const bad = await Promise.all(BAD.map(({ make }) => make()));
  await stage.append(blocks.flatMap((block, i) => [...bad.slice(i, i + 1), ...stage.encoded(block)]));
  await stage.append(bad.slice(0, 1));
  await stage.drain();
  await stage.expectTables(blocks);
  const letters = await stage.deadLetters();
  expect(letters.map(({ source }) => source)).toEqual(
    [...BAD.keys(), BAD.length].map((i) => `${HISTORY}/0/${2 * i}`),
  );
  for (const [i, { name, reason }] of BAD.entries()) {
    expect(letters[i]?.reason, name).toMatch(reason);
    expect(letters[i]?.original, name).toEqual(bad[i]);
  }
});

test('a batch of nothing but such records is done with, and what comes next is stored', async () => {
  await stage.append([Buffer.from('torn'), Buffer.alloc(0), broken((part) => void part.m_to.pop())]);
  await stage.drain();
  await stage.append(stage.encoded(blockOf(1)));
  await stage.drain();
  await stage.expectTables([blockOf(1)]);
  expect(await stage.deadLetters()).toHaveLength(3);
});

test('blocks whose last part never comes keep no other partition from the tables', async () => {
  const firstPart = (number: number): Buffer =>
    broken((part) => Object.assign(part, { block_number: number, block_hash: `h${number}`, parts: 2 }));
  await stage.append([firstPart(500)], 1);
  await stage.append([firstPart(600)], 2);
  await stage.append(stage.encoded(blockOf(1)), 3);
  const sink = stage.sink();
  const stored = () => stage.ask('SELECT number FROM blocks ORDER BY number');
  await expect.poll(stored, PATIENCE).toEqual([['1']]);
  // The same once more behind one of them.
  await stage.append([firstPart(700)], 1);
  await stage.append(stage.encoded(blockOf(2)), 4);
  await expect.poll(stored, PATIENCE).toEqual([['1'], ['2']]);
  // What follows in their partition is stored, and they are not lost.
  await stage.append(stage.encoded(blockOf(3)), 1);
  await expect.poll(stored, PATIENCE).toEqual([['1'], ['2'], ['3']]);
  await sink.stop();
  expect(await stage.deadLetters()).toEqual([]);
});
