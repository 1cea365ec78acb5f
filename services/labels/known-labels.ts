import { createHash } from 'node:crypto';
import { LABEL_TOPIC, type LabelEvents, type LabelIdentity } from '../events/label-events.ts';
import type { AssertedLabel } from '../investigate/model/label.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';

const REVOKED = '';

/** Sixteen characters stand for a text: a million labels must fit in memory. */
const digestOf = (...parts: readonly unknown[]): string =>
  createHash('sha1').update(parts.join('\0')).digest().toString('base64', 0, 12);

/** What tells one label from another. */
export const identityOf = ({ validFrom, ...label }: LabelIdentity): string =>
  digestOf(label.chain, label.address, label.source, label.kind, label.name, validFrom);

/** What is said, whenever it holds. */
const statementOf = ({ chain, address, source, kind, name }: LabelIdentity): string =>
  digestOf(chain, address, source, kind, name);

/** Of whom a source says what kind of thing, by whatever name. */
export const subjectOf = ({ chain, address, source, kind }: LabelIdentity): string =>
  digestOf(chain, address, source, kind);

/**
 * What a label says, but for when it was read in, and but for the words around it: saying the same again is no news, nor
 * that two files of one source put it differently.
 */
const contentOf = ({ assertedAt: _, category: __, evidence: ___, ...said }: AssertedLabel): string =>
  digestOf(JSON.stringify(Object.entries(said).toSorted(([a], [b]) => (a < b ? -1 : 1))));

/** Which labels the log holds, and what they say: what makes an import repeatable. About 100 bytes a label. */
export class KnownLabels {
  readonly #contents = new Map<string, string>();
  /** Of statements that ended once: the end of each interval by its begin, in order of their coming. */
  readonly #ended = new Map<string, Map<number | null, number | null>>();
  readonly #whole: string | null;
  readonly #ofWhole = new Map<string, AssertedLabel>();

  /** `whole`: a source of which also the labels themselves are kept, to tell what it says no more. */
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
   * The label as the log is to hold it. What had ended and is said again holds from the later of its end and its being said:
   * a list mostly does not know that there was a time between. While it holds, saying it again speaks of that.
   */
  place(label: AssertedLabel, nowUnixSeconds: number): AssertedLabel {
    const intervals = this.#ended.get(statementOf(label));
    const end = intervals?.get(label.validFrom) ?? null;
    if (!intervals || label.validTo !== null || end === null || end > nowUnixSeconds) return label;
    const open = [...intervals].findLast(([, validTo]) => validTo === null);
    if (open) return { ...label, validFrom: open[0] };
    return { ...label, validFrom: Math.max(label.assertedAt, ...[...intervals.values()].map(Number)) };
  }

  /** How the label stands to what is known; from now on it is known. */
  add(label: AssertedLabel): 'new' | 'changed' | 'known' {
    const identity = identityOf(label);
    const content = contentOf(label);
    const before = this.#contents.get(identity) ?? REVOKED;
    this.#contents.set(identity, content);
    this.#noteInterval(label);
    if (before === REVOKED) return 'new';
    return before === content ? 'known' : 'changed';
  }

  /** What the log holds of the whole source. */
  ofWhole(): AssertedLabel[] {
    return [...this.#ofWhole.values()];
  }

  #noteInterval(label: AssertedLabel): void {
    const statement = statementOf(label);
    const intervals = this.#ended.get(statement);
    // Of the many that never ended nothing is kept.
    if (intervals) intervals.set(label.validFrom, label.validTo);
    else if (label.validTo !== null) this.#ended.set(statement, new Map([[label.validFrom, label.validTo]]));
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
        this.#ofWhole.delete(identityOf(revocation));
      }
    } catch {
      // A record that can never be stored is a dead letter of the sink, and no label.
    }
  }
}
