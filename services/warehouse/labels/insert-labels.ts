import type { LabelEvent } from '../../events/label-events.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type SequencedLabelEvent = { readonly sequence: number; readonly event: LabelEvent };

/**
 * Writes label events into the table of labels. Rows carry their event's sequence and the newest of a label
 * counts, so events may be written again, in any order.
 */
export const insertLabels = async (
  client: WarehouseClient,
  events: readonly SequencedLabelEvent[],
): Promise<void> => {
  await insertRows(client, 'labels', events.map(toRow));
};

const toRow = ({ sequence, event }: SequencedLabelEvent) => {
  if (event.type === 'LabelRevoked') {
    const { reason: _, validFrom, revokedAt, ...same } = event.revocation;
    return { ...same, valid_from: validFrom ?? 0, asserted_at: revokedAt, sequence, revoked: 1 };
  }
  const { validFrom, validTo, inheritedFrom, assertedAt, ...same } = event.label;
  return {
    ...same,
    valid_from: validFrom ?? 0,
    valid_to: validTo ?? 0,
    inherited_from: inheritedFrom ?? '',
    asserted_at: assertedAt,
    sequence,
    revoked: 0,
  };
};
