import { basename } from 'node:path';
import { BlockFormatError } from '../block-format-error.ts';

/**
 * Slot of a block, which `getBlock` does not answer: from the name of its file (`<slot>.json`,
 * `<slot>.<encoding>.json.gz`), else its parent's slot plus one, which is right unless slots were skipped.
 * @throws BlockFormatError `slot_unknown`
 */
export const slotOf = (fileName: string, block: unknown): number => {
  const named = /^(\d{1,15})\./.exec(basename(fileName))?.[1];
  if (named !== undefined) return Number(named);
  if (typeof block === 'object' && block !== null && 'parentSlot' in block) {
    const { parentSlot } = block;
    if (typeof parentSlot === 'number' && Number.isSafeInteger(parentSlot)) return parentSlot + 1;
  }
  throw new BlockFormatError(
    'slot_unknown',
    `neither the name ${basename(fileName)} nor the block says the slot`,
  );
};
