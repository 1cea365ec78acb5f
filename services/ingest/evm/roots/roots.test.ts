import { expect, test } from 'vitest';
import { listRealBlocks, readRealParts } from '../../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData } from '../../../testing/shared-data.ts';
import { BlockFormatError } from '../../block-format-error.ts';
import { type Entry, receiptsRoot, transactionsRoot, writeSigned } from '../checks/prove-roots.ts';
import type { RawObject } from '../read-hex.ts';
import { bloomOf } from './bloom.ts';
import { keccak } from './keccak.ts';
import { orderedRoot } from './ordered-trie.ts';
import { RlpWriter } from './rlp-writer.ts';
import { isKnownHeader, writeHeader } from './write-header.ts';

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

const written = (write: (writer: RlpWriter) => void): string => {
  const writer = new RlpWriter();
  write(writer);
  return hexOf(writer.take());
};

// https://ethereum.org/en/developers/docs/data-structures-and-encoding/rlp/
test.each<[string, (writer: RlpWriter) => void]>([
  ['80', (w) => w.hex('0x', 'it')],
  ['00', (w) => w.hex('0x00', 'it')],
  ['0f', (w) => w.quantity('0xf', 'it')],
  ['820400', (w) => w.quantity('0x400', 'it')],
  ['80', (w) => w.quantity('0x0', 'it')],
  ['820400', (w) => w.quantity('0x0000400', 'it')],
  ['c0', (w) => w.list(0)],
  ['83646f67', (w) => w.hex('0x646F67', 'it')],
  [`b838${'61'.repeat(56)}`, (w) => w.hex(`0x${'61'.repeat(56)}`, 'it')],
  [`ba011170${'61'.repeat(70_000)}`, (w) => w.hex(`0x${'61'.repeat(70_000)}`, 'it')],
])('RLP is %s as its definition has it', (rlp, write) => {
  expect(written(write)).toBe(rlp);
});

test('a list encloses what was written behind it', () => {
  const pair = written((writer) => {
    const mark = writer.mark();
    writer.hex('0x646f67', 'it');
    writer.hex('0x636174', 'it');
    writer.list(mark);
  });
  expect(pair).toBe('c88363617483646f67');
});

test.each(['0xg0', '0x1', '12', '0xé9', undefined, 7, '0x0g', `0x${'0'.repeat(40)}zz`])(
  'bytes that are %j are refused',
  (value) => {
    expect(() => new RlpWriter().hex(value, 'it')).toThrow(BlockFormatError);
  },
);

test('the hash is Keccak’s, and of nothing the root is that of an empty trie', () => {
  expect(hexOf(keccak(new Uint8Array()))).toBe(
    'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
  );
  expect(orderedRoot(0, new RlpWriter(), () => {})).toBe(
    '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421',
  );
});

describeWithSharedData('the roots of real blocks', () => {
  const blocks = listRealBlocks();
  const read = (each: (typeof blocks)[number]) => {
    const { block, receipts } = readRealParts(each) as { block: RawObject; receipts: RawObject[] };
    const transactions = block.transactions as RawObject[];
    const entries: Entry[] = transactions.map((tx, txIndex) => ({
      txIndex,
      tx,
      receipt: receipts[txIndex] ?? {},
    }));
    return { block, entries };
  };

  test.each(blocks)('$chain $number: receipts, transactions and logs make what the header tells', (each) => {
    const { block, entries } = read(each);
    const hasStatus = entries[0]?.receipt.status !== undefined;
    expect(receiptsRoot(entries, hasStatus)).toBe(block.receiptsRoot);
    // Rendered blocks lack signatures here and there: their forms are not told whole.
    expect([block.transactionsRoot, undefined]).toContain(transactionsRoot(writeSigned(entries)));
    const logs = entries.flatMap(({ receipt }) => receipt.logs as unknown[]);
    expect(`0x${hexOf(bloomOf(logs))}`).toBe(block.logsBloom);
    const bare = entries.map(({ receipt, ...entry }) => ({
      ...entry,
      receipt: { ...receipt, logsBloom: null },
    }));
    expect(receiptsRoot(bare, hasStatus)).toBe(block.receiptsRoot);
  });

  test('the forms of all transactions are known where their signatures are told', () => {
    const known = blocks.filter((each) => transactionsRoot(writeSigned(read(each).entries)) !== undefined);
    expect(known.length).toBeGreaterThan(20);
  });

  test('headers that are told whole have the hash that they tell', () => {
    const whole = blocks.map((each) => read(each).block).filter(isKnownHeader);
    expect(whole.length).toBeGreaterThan(20);
    for (const block of whole) {
      const writer = new RlpWriter();
      writeHeader(writer, block);
      expect(`0x${hexOf(keccak(writer.take()))}`).toBe(block.hash);
    }
  });
});
