import type { InspectedRecord } from './inspect-record.ts';
import { hashKey } from './plan-batch.ts';

type Open = { readonly places: number[]; next: number };

/**
 * Refuses every part of a block of which another part can never be stored: a block that is seen in part would be taken
 * for the whole. `records` begin where a block begins; a block that goes on behind their end is left as it is.
 */
export const refuseTorn = (records: readonly InspectedRecord[]): readonly InspectedRecord[] => {
  const torn = new Set<number>();
  const open = new Map<string, Open>();
  const tear = (key: string, { places }: Open): void => {
    for (const place of places) torn.add(place);
    open.delete(key);
  };
  for (const [place, { head, refused }] of records.entries()) {
    // Which block it was a part of cannot be read; of those that are not whole yet it is one.
    if (refused !== undefined) for (const [key, block] of open) tear(key, block);
    if (!head) continue;
    const key = hashKey(head);
    const before = open.get(key) ?? { places: [], next: 0 };
    const block = { places: [...before.places, place], next: head.part + 1 };
    if (head.part === before.next && block.next < head.parts) open.set(key, block);
    else if (head.part === before.next) open.delete(key);
    else tear(key, block);
  }
  if (torn.size === 0) return records;
  return records.map(({ offset, ...record }, place) =>
    torn.has(place)
      ? { offset, refused: 'another part of its block cannot be stored' }
      : { offset, ...record },
  );
};
