import { createHash } from 'node:crypto';
import { LABEL_TOPIC, type LabelEvents, type LabelIdentity } from '../events/label-events.ts';
import type { AssertedLabel } from '../investigate/model/label.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';

const READ_BYTES = 4 << 20;
const REVOKED = '';

const identityOf = ({ chain, address, source, kind, name }: LabelIdentity): string =>
  `${chain}\0${address}\0${source}\0${kind}\0${name}`;

/** Twelve characters stand for a text: a million labels must fit in memory. */
const digestOf = (text: string): string => createHash('sha1').update(text).digest('base64').slice(0, 16);

/** What a label says, but for when it was read in: saying the same again is no news. */
const contentOf = (label: AssertedLabel): string =>
  digestOf(JSON.stringify({ ...label, assertedAt: undefined }));

/** Which labels the log holds, and what they say: what makes an import repeatable. About 100 bytes a label. */
export class KnownLabels {
  readonly #contents = new Map<string, string>();

  static async read(log: EventLog, events: LabelEvents): Promise<KnownLabels> {
    const known = new KnownLabels();
    for (const { partition, begin, end } of await log.ranges(LABEL_TOPIC)) {
      for (let offset = begin; offset < end; ) {
        const records = await log.read({ topic: LABEL_TOPIC, partition, offset, maxBytes: READ_BYTES });
        if (records.length === 0) break;
        for (const { value } of records) known.#apply(events, value);
        offset = (records.at(-1)?.offset ?? offset) + 1;
      }
    }
    return known;
  }

  /** How the label stands to what is known; from now on it is known. */
  add(label: AssertedLabel): 'new' | 'changed' | 'known' {
    const identity = digestOf(identityOf(label));
    const content = contentOf(label);
    const before = this.#contents.get(identity) ?? REVOKED;
    this.#contents.set(identity, content);
    if (before === REVOKED) return 'new';
    return before === content ? 'known' : 'changed';
  }

  #apply(events: LabelEvents, record: Buffer): void {
    try {
      const event = events.decode(record);
      if (event.type === 'LabelAsserted') this.add(event.label);
      else this.#contents.set(digestOf(identityOf(event.revocation)), REVOKED);
    } catch {
      // A record that can never be stored is a dead letter of the sink, and no label.
    }
  }
}
