import { expect, test } from 'vitest';
import { BlockFormatError } from '../block-format-error.ts';
import { slotOf } from './slot-of.ts';

test('the slot is in the file’s name, whatever encoding follows it', () => {
  for (const name of [
    '147078735.json',
    '147078735.json.gz',
    '147078735.base64.json.gz',
    'blocks/147078735.json',
  ])
    expect(slotOf(name, {})).toBe(147_078_735);
});

test('a file of another name holds the slot after its parent’s', () => {
  expect(slotOf('block.json', { parentSlot: 99 })).toBe(100);
  expect(slotOf('12-mainnet.json', { parentSlot: 99 })).toBe(100);
});

test('a slot that nothing says is an error', () => {
  expect(() => slotOf('block.json', { parentSlot: null })).toThrow(BlockFormatError);
  expect(() => slotOf('block.json', 'text')).toThrow(BlockFormatError);
});

test('a slot in the name that is not above its parent’s is refused with both, but for the first block of all', () => {
  expect(slotOf('100.json', { parentSlot: 99 })).toBe(100);
  expect(slotOf('0.json', { parentSlot: 0 })).toBe(0);
  for (const parentSlot of [1, 2, 443_787_701]) {
    const message = `the file's name says slot 1, but the block's parentSlot is ${parentSlot}`;
    const refused = expect.objectContaining({ name: 'BlockFormatError', code: 'slot_contradicts', message });
    expect(() => slotOf('1.json.gz', { parentSlot })).toThrow(refused);
  }
});
