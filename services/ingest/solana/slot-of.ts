import { basename } from 'node:path';
import { BlockFormatError } from '../block-format-error.ts';

/**
 * A block's slot, which `getBlock` does not return: from its file's name (`<slot>.json`,
 * `<slot>.<encoding>.json.gz`), else the parent's slot plus one, which is right unless slots were skipped. @throws
 * BlockFormatError `slot_unknown`; `slot_contradicts` if the name's slot is not above its parent's
 */
export const slotOf = (fileName: string, block: unknown): number => {
  const name = basename(fileName);
  const named = /^(\d{1,15})\./.exec(name)?.[1];
  const parentSlot = parentSlotOf(block);
  if (named !== undefined) return checked(Number(named), parentSlot);
  if (parentSlot !== null) return parentSlot + 1;
  throw new BlockFormatError('slot_unknown', `neither the name ${name} nor the block says the slot`);
};

/** The first block names itself as its parent. */
const checked = (slot: number, parentSlot: number | null): number => {
  if (parentSlot === null || parentSlot < slot || (slot === 0 && parentSlot === 0)) return slot;
  const message = `the file's name says slot ${slot}, but the block's parentSlot is ${parentSlot}`;
  throw new BlockFormatError('slot_contradicts', message);
};

const parentSlotOf = (block: unknown): number | null => {
  if (typeof block !== 'object' || block === null || !('parentSlot' in block)) return null;
  const { parentSlot } = block;
  return typeof parentSlot === 'number' && Number.isSafeInteger(parentSlot) ? parentSlot : null;
};
