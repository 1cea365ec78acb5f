import type { LabelEvents } from '../events/label-events.ts';
import type { AssertedLabel } from '../investigate/model/label.ts';
import type { AppendRecord, EventLog } from '../platform/event-log/event-log.ts';
import { type LabelFile, LabelFileError, type LabelFormat } from './formats/label-format.ts';
import { identityOf, type KnownLabels, subjectOf } from './known-labels.ts';
import { checkRow, type LabelRow, type Refusal, type RefusalCode } from './rules/check-row.ts';
import { contradicting } from './rules/quarantine.ts';

const APPEND_RECORDS = 1_000;
/** A list's labels stay in memory to its end, some 400 bytes each, to find repetitions and ends. */
const LABELS_MAX = 5_000_000;

/** `repeated`: the same list said it of the same address earlier in this run. */
export type Outcome = 'new' | 'changed' | 'known' | 'repeated';

/** Every row is reported once, as taken or refused. `isFurther`: an additional statement of the row. */
export type ImportEvents = {
  taken(label: AssertedLabel, outcome: Outcome, isFurther: boolean): void;
  refused(refusal: Refusal, isFurther: boolean): void;
};

export type ImportRequest = {
  readonly format: LabelFormat;
  readonly file: LabelFile;
  readonly known: KnownLabels;
  readonly nowUnixSeconds: number;
  readonly events: ImportEvents;
  /** Source names that no row may use. */
  readonly reserved?: ReadonlySet<string>;
  /** Solana's vote accounts, as far as they are known. */
  readonly voteAccounts?: ReadonlySet<string>;
  /** Addresses whose accusation is taken although another list knows a service there. */
  readonly accepted?: 'all' | ReadonlySet<string>;
  /** The maximum number of labels (default `LABELS_MAX`). */
  readonly labelsMax?: number;
  /** Where the labels go; null for a dry run. */
  readonly target: { readonly log: EventLog; readonly labels: LabelEvents } | null;
};

/** Everything in a list, whether it could be taken or not. */
export type Said = {
  /** `identityOf` of every label. */
  readonly identities: ReadonlySet<string>;
  /** `subjectOf` of every label. */
  readonly subjects: ReadonlySet<string>;
  /** Its sources. */
  readonly sources: ReadonlySet<string>;
  /** Addresses of refused rows, in lower case, if they are certain. */
  readonly refused: ReadonlySet<string>;
  /** Refused rows whose address is unknown. */
  readonly unclear: number;
};

/** Other refused rows have a wrong or no address, which may mean any. */
const SURE_OF_ADDRESS: ReadonlySet<RefusalCode> = new Set([
  'chain_not_served',
  'null_address',
  'vote_account',
  'no_name',
  'reserved_source',
  'quarantined',
]);

/**
 * Reads a list into the log. Every row is reported as taken or refused, and only new statements are appended. It
 * may be interrupted and repeated. Throws `LabelFileError` if the file has another format or is too long.
 */
export const importLabels = async (request: ImportRequest, signal: AbortSignal): Promise<Said> => {
  const { format, file, target, labelsMax = LABELS_MAX } = request;
  const said: Saying = {
    ...{ identities: new Set(), subjects: new Set(), sources: new Set(), refused: new Set() },
    unclear: 0,
  };
  let records: AppendRecord[] = [];
  const append = async (): Promise<void> => {
    if (target && records.length > 0) await target.log.append(records);
    records = [];
  };
  const take = (row: LabelRow, isFurther: boolean): void => {
    const label = takeRow(request, said, row, isFurther);
    if (target && label) records.push(target.labels.assert(label));
  };
  for await (const read of format.read(file)) {
    signal.throwIfAborted();
    if ('refusal' in read) refuse(request, said, read.refusal, false);
    else {
      take(read.row, false);
      for (const row of read.further ?? []) take(row, true);
    }
    if (said.identities.size + said.refused.size > labelsMax)
      throw new LabelFileError(
        file.path,
        `says more than ${labelsMax} labels: import it in parts, none of them as the whole`,
      );
    if (records.length >= APPEND_RECORDS) await append();
  }
  await append();
  return said;
};

type Saying = Record<'identities' | 'subjects' | 'sources' | 'refused', Set<string>> & { unclear: number };

/** The label for the log; null if the log has it already, or the row is refused. */
const takeRow = (
  request: ImportRequest,
  said: Saying,
  row: LabelRow,
  isFurther: boolean,
): AssertedLabel | null => {
  const { format, known, nowUnixSeconds, events, reserved, voteAccounts } = request;
  const { label, refusal } = reserved?.has(row.source.trim())
    ? { refusal: refuseSource(row) }
    : checkRow(row, nowUnixSeconds, voteAccounts);
  const doubted = label ? quarantine(request, row, label) : refusal;
  if (!label || doubted) {
    if (doubted) refuse(request, said, doubted, isFurther);
    return null;
  }
  const placed = format.tellsEnds ? label : known.place(label, nowUnixSeconds);
  const identity = identityOf(placed);
  const outcome = said.identities.has(identity) ? 'repeated' : known.add(placed);
  said.identities.add(identity);
  said.subjects.add(subjectOf(placed));
  said.sources.add(placed.source);
  events.taken(label, outcome, isFurther);
  return outcome === 'new' || outcome === 'changed' ? placed : null;
};

const refuse = ({ events }: ImportRequest, said: Saying, refusal: Refusal, isFurther: boolean): void => {
  if (SURE_OF_ADDRESS.has(refusal.code)) said.refused.add(refusal.address.trim().toLowerCase());
  else said.unclear += 1;
  events.refused(refusal, isFurther);
};

/** An accusation that somebody must look at first. */
const quarantine = (
  { known, accepted }: ImportRequest,
  { where }: LabelRow,
  label: AssertedLabel,
): Refusal | null => {
  const { address } = label;
  if (accepted === 'all' || accepted?.has(address)) return null;
  const service = contradicting(label, known.servicesAt(label));
  return (
    service && {
      ...{ where, address, code: 'quarantined' },
      reason: `is not stored without --accept: ${service.source} calls it ${service.name} (${service.kind}), and everybody who used it would be accused`,
    }
  );
};

const refuseSource = ({ where, address, source }: LabelRow): Refusal => ({
  where,
  address,
  code: 'reserved_source',
  reason: `comes from ${source}, which is what the project says itself: give the list another name with --source`,
});
