import { type AssertedLabel, LABEL_KINDS, type LabelKind } from '../investigate/model/label.ts';
import { openCodec } from '../platform/avro/codec.ts';
import type { SchemaRegistry } from '../platform/avro/local-registry.ts';
import type { AppendRecord } from '../platform/event-log/event-log.ts';

export const LABEL_TOPIC = 'labels';

/**
 * A label's identity: the same identity again is a correction. A statement that ended and holds again is two
 * labels with different begins.
 */
export type LabelIdentity = Pick<
  AssertedLabel,
  'chain' | 'address' | 'source' | 'kind' | 'name' | 'validFrom'
>;

export type LabelRevocation = LabelIdentity & { readonly reason: string; readonly revokedAt: number };

export type LabelEvent =
  | { readonly type: 'LabelAsserted'; readonly label: AssertedLabel }
  | { readonly type: 'LabelRevoked'; readonly revocation: LabelRevocation };

export type LabelEvents = {
  readonly assert: (label: AssertedLabel) => AppendRecord;
  readonly revoke: (revocation: LabelRevocation) => AppendRecord;
  /** Throws if the record is neither event, is damaged, or has an unknown kind. */
  readonly decode: (record: Buffer) => LabelEvent;
};

type Asserted = {
  readonly chain: string;
  readonly address: string;
  readonly name: string;
  readonly entity: string;
  readonly kind: string;
  readonly category: string;
  readonly source: string;
  readonly creator: string;
  readonly confidence: number;
  readonly valid_from: number;
  readonly valid_to: number;
  readonly inherited_from: string;
  readonly evidence: string;
  readonly asserted_at: number;
};

type Revoked = {
  readonly chain: string;
  readonly address: string;
  readonly source: string;
  readonly kind: string;
  readonly name: string;
  readonly valid_from: number;
  readonly reason: string;
  readonly revoked_at: number;
};

/** Registers both events and returns their codec. */
export const openLabelEvents = async (registry: SchemaRegistry): Promise<LabelEvents> => {
  const asserted = await openCodec<Asserted>(registry, 'LabelAsserted');
  const revoked = await openCodec<Revoked>(registry, 'LabelRevoked');
  const append = ({ chain, address }: LabelIdentity, value: Buffer): AppendRecord => ({
    topic: LABEL_TOPIC,
    key: `${chain}:${address}`,
    value,
  });
  return {
    assert: (label) => append(label, asserted.encode(toAsserted(label))),
    revoke: (revocation) => append(revocation, revoked.encode(toRevoked(revocation))),
    decode: (record) =>
      revoked.reads(record)
        ? { type: 'LabelRevoked', revocation: fromRevoked(revoked.decode(record)) }
        : { type: 'LabelAsserted', label: fromAsserted(asserted.decode(record)) },
  };
};

const toAsserted = (label: AssertedLabel): Asserted => {
  const { validFrom, validTo, inheritedFrom, assertedAt, ...same } = label;
  return {
    ...same,
    valid_from: validFrom ?? 0,
    valid_to: validTo ?? 0,
    inherited_from: inheritedFrom ?? '',
    asserted_at: assertedAt,
  };
};

const fromAsserted = (event: Asserted): AssertedLabel => {
  const { valid_from, valid_to, inherited_from, asserted_at, kind, ...same } = event;
  return {
    ...same,
    kind: toKind(kind),
    validFrom: valid_from === 0 ? null : valid_from,
    validTo: valid_to === 0 ? null : valid_to,
    inheritedFrom: inherited_from === '' ? null : inherited_from,
    assertedAt: asserted_at,
  };
};

const toRevoked = ({ revokedAt, validFrom, ...same }: LabelRevocation): Revoked => ({
  ...same,
  valid_from: validFrom ?? 0,
  revoked_at: revokedAt,
});

const fromRevoked = ({ revoked_at, valid_from, kind, ...same }: Revoked): LabelRevocation => ({
  ...same,
  kind: toKind(kind),
  validFrom: valid_from === 0 ? null : valid_from,
  revokedAt: revoked_at,
});

const toKind = (text: string): LabelKind => {
  const kind = LABEL_KINDS.find((known) => known === text);
  if (kind === undefined) throw new Error(`${text} is not a kind of label`);
  return kind;
};
