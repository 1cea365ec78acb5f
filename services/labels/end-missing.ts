import type { AppendRecord } from '../platform/event-log/event-log.ts';
import type { ImportRequest, Said } from './import-labels.ts';
import { identityOf, type KnownLabels, subjectOf } from './known-labels.ts';

const APPEND_RECORDS = 1_000;

/** The list names nothing as its source; ending all labels of that source would be a mistake. */
export class EmptyListError extends Error {
  readonly code = 'label_list_empty';
  constructor(source: string) {
    super(`the list says nothing as ${source}, so nothing of ${source} is ended`);
    this.name = 'EmptyListError';
  }
}

/** `withheld`: labels that are missing, but may be in refused rows. */
export type Ended = { readonly ended: number; readonly withheld: number };

/**
 * Ends labels that a complete list no longer has. They get an end time, so the past keeps them. If the list names
 * the address differently or from another time on, the old label is revoked. Labels that a refused row may contain
 * do not end. Throws `EmptyListError`.
 */
export const endMissing = async (request: {
  /** Read together with the source that the list covers completely. */
  known: KnownLabels;
  said: Said;
  source: string;
  target: ImportRequest['target'];
  nowUnixSeconds: number;
}): Promise<Ended> => {
  const { known, said, source, target, nowUnixSeconds } = request;
  if (!said.sources.has(source)) throw new EmptyListError(source);
  const missing = known
    .ofWhole()
    .filter((label) => label.validTo === null && !said.identities.has(identityOf(label)));
  const ending =
    said.unclear > 0 ? [] : missing.filter(({ address }) => !said.refused.has(address.toLowerCase()));
  const records = ending.map((label): AppendRecord | undefined =>
    said.subjects.has(subjectOf(label))
      ? target?.labels.revoke({ ...label, reason: 'is said otherwise', revokedAt: nowUnixSeconds })
      : target?.labels.assert({ ...label, validTo: nowUnixSeconds, assertedAt: nowUnixSeconds }),
  );
  const events = records.filter((record) => record !== undefined);
  for (let from = 0; from < events.length; from += APPEND_RECORDS)
    await target?.log.append(events.slice(from, from + APPEND_RECORDS));
  return { ended: ending.length, withheld: missing.length - ending.length };
};
