import { createHash } from 'node:crypto';
import { LABEL_TOPIC, type LabelEvents, type LabelIdentity } from '../events/label-events.ts';
import { findChain } from '../investigate/model/chain.ts';
import type { AssertedLabel } from '../investigate/model/label.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';
import { type HeldLabel, isSharedService } from './rules/quarantine.ts';

const REVOKED = '';

/** Sixteen characters stand for a text, because a million labels must fit in memory. */
const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha1').update(parts.join('\0')).digest().toString('base64', 0, 12);

/** A label's identity. */
export const identityOf = ({ validFrom, ...label }: LabelIdentity): string =>
  digestOf(label.chain, label.address, label.source, label.kind, label.name, validFrom);

/** The statement without its validity. */
const statementOf = ({ chain, address, source, kind, name }: LabelIdentity): string =>
  digestOf(chain, address, source, kind, name);

/** The subject: a source's kind for an address, under any name. */
export const subjectOf = ({ chain, address, source, kind }: LabelIdentity): string =>
  digestOf(chain, address, source, kind);

/**
 * A label's statement without import time and wording. Repeating it is no news, nor is another wording in a second
 * file of the source.
 */
const contentOf = ({ assertedAt: _, category: __, evidence: ___, ...said }: AssertedLabel): string =>
  digestOf(JSON.stringify(Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1))));

type AddressOnChain = Pick<AssertedLabel, 'chain' | 'address'>;

const placeOf = ({ chain, address }: AddressOnChain): string =>
  digestOf(findChain(chain)?.family ?? chain, address);

/** The labels in the log, which make an import repeatable. About 100 bytes a label. */
export class KnownLabels {
  readonly #contents = new Map<string, string>();
  /** Ends of statements that ended once, by begin, in order of arrival. */
  readonly #ended = new Map<string, Map<number | null, number | null>>();
  /** Labels that name a service, by address on all chains of a family. */
  readonly #services = new Map<string, Map<string, HeldLabel>>();
  readonly #whole: string | null;
  readonly #ofWhole = new Map<string, AssertedLabel>();

  /** `whole`: a source whose labels are kept, to find those that it no longer has. */
  constructor(whole: string | null = null) {
    this.#whole = whole;
  }

  static async read(log: EventLog, events: LabelEvents, whole: string | null = null): Promise<KnownLabels> {
    const known = new KnownLabels(whole);
    for await (const records of readTopic(log, LABEL_TOPIC))
      for (const { value } of records) known.#apply(events, value);
    return known;
  }

  /**
   * The label for the log. A statement that had ended and is repeated holds from the later of its end and the
   * repetition, because lists rarely know of a pause. A repetition while it holds is the same statement.
   */
  place(label: AssertedLabel, nowUnixSeconds: number): AssertedLabel {
    const intervals = this.#ended.get(statementOf(label));
    const end = intervals?.get(label.validFrom) ?? null;
    if (!intervals || label.validTo !== null || end === null || end > nowUnixSeconds) return label;
    const open = [...intervals].findLast(([, validTo]) => validTo === null);
    if (open) return { ...label, validFrom: open[0] };
    return { ...label, validFrom: Math.max(label.assertedAt, ...[...intervals.values()].map(Number)) };
  }

  /** Compares the label with the known ones; from now on it is known. */
  add(label: AssertedLabel): 'new' | 'changed' | 'known' {
    const identity = identityOf(label);
    const content = contentOf(label);
    const before = this.#contents.get(identity) ?? REVOKED;
    this.#contents.set(identity, content);
    this.#noteInterval(label);
    this.#noteService(label, identity);
    if (before === REVOKED) return 'new';
    return before === content ? 'known' : 'changed';
  }

  /** Labels of the address, on any chain of its family, that name a service. */
  servicesAt(label: AddressOnChain): HeldLabel[] {
    return [...(this.#services.get(placeOf(label))?.values() ?? [])];
  }

  /** Everything that the log holds of the complete source. */
  ofWhole(): AssertedLabel[] {
    return [...this.#ofWhole.values()];
  }

  #noteInterval(label: AssertedLabel): void {
    const statement = statementOf(label);
    const intervals = this.#ended.get(statement);
    // Nothing is kept of statements without an end.
    if (intervals) intervals.set(label.validFrom, label.validTo);
    else if (label.validTo !== null) this.#ended.set(statement, new Map([[label.validFrom, label.validTo]]));
  }

  #noteService(label: AssertedLabel, identity: string): void {
    if (!isSharedService(label)) return;
    const { kind, name, source, validTo } = label;
    const place = placeOf(label);
    const held = this.#services.get(place) ?? new Map<string, HeldLabel>();
    this.#services.set(place, held.set(identity, { kind, name, source, validTo }));
  }

  #apply(events: LabelEvents, record: Buffer): void {
    try {
      const event = events.decode(record);
      if (event.type === 'LabelAsserted') {
        this.add(event.label);
        if (event.label.source === this.#whole) this.#ofWhole.set(identityOf(event.label), event.label);
      } else {
        const { revocation } = event;
        this.#contents.set(identityOf(revocation), REVOKED);
        this.#ended.get(statementOf(revocation))?.delete(revocation.validFrom);
        this.#services.get(placeOf(revocation))?.delete(identityOf(revocation));
        this.#ofWhole.delete(identityOf(revocation));
      }
    } catch {
      // A record that can never be stored is a dead letter of the sink, and no label.
    }
  }
}
