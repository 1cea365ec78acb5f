import type { AssertedLabel, LabelKind } from '../../investigate/model/label.ts';

/** Kinds of services whose customers' money passes on later: their transfers are searched by amount. */
export const SERVICE_KINDS = ['exchange', 'mixer'] as const satisfies readonly LabelKind[];

export type Service = { readonly entity: string; readonly kind: (typeof SERVICE_KINDS)[number] };

type Candidate = Pick<AssertedLabel, 'kind' | 'entity' | 'confidence' | 'assertedAt'>;

/**
 * The service that an address belongs to; null if no label says so. It does not depend on time: what moved through
 * an exchange's wallet stays the exchange's.
 */
export const chooseService = (labels: readonly Candidate[]): Service | null => {
  const [best] = labels
    .filter((label) => label.entity !== '' && isServiceKind(label.kind))
    .toSorted(
      (a, b) =>
        b.confidence - a.confidence ||
        b.assertedAt - a.assertedAt ||
        (a.entity < b.entity ? -1 : a.entity > b.entity ? 1 : 0) ||
        (a.kind < b.kind ? -1 : 1),
    );
  return best && isServiceKind(best.kind) ? { entity: best.entity, kind: best.kind } : null;
};

const isServiceKind = (kind: LabelKind): kind is Service['kind'] =>
  (SERVICE_KINDS as readonly LabelKind[]).includes(kind);
