import type { EventLog } from '../platform/event-log/event-log.ts';
import { Books } from './books.ts';
import { EVENTS } from './books-view.ts';
import type { Payer } from './decider/state.ts';
import { identifyLog } from './identify-log.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import type { Snapshot } from './snapshot-file.ts';
import { Tally } from './tally.ts';

export type AuditProblem = { readonly payer: string; readonly problem: string };

export type Audit = {
  readonly events: number;
  readonly payers: number;
  readonly reserved: number;
  readonly posted: number;
  readonly voided: number;
  readonly open: number;
  readonly creditsAdded: number;
  readonly creditsLeft: number;
  /** Whether there was a snapshot of this log to compare. */
  readonly snapshot: boolean;
  /** Empty where every balance is what its events add up to. */
  readonly problems: readonly AuditProblem[];
};

const READ_BYTES = 4 << 20;
const PROBLEMS_MAX = 1_000;

type Request = { readonly log: EventLog; readonly codec: LedgerCodec; readonly snapshot: Snapshot | null };

/**
 * Reads every event of the ledger and computes every balance twice: as the ledger does, and by plain addition. Compares
 * the two, and the snapshot with the ledger's as of the events that it holds.
 */
export const auditLedger = async (request: Request): Promise<Audit> => {
  const { log } = request;
  const snapshot = await ofThisLog(request);
  const books = new Books();
  const tallies = new Map<Payer, Tally>();
  const problems: AuditProblem[] = [];
  const report = (payer: string, problem: string): void => {
    if (problems.length < PROBLEMS_MAX) problems.push({ payer, problem });
  };
  let events = 0;
  const take = (entry: LedgerEntry): void => {
    events += 1;
    try {
      books.apply(entry);
    } catch (error) {
      report(
        entry.payer,
        `the ledger cannot take its event ${entry.event.type}: ${(error as Error).message}`,
      );
    }
    const tally = tallies.get(entry.payer) ?? new Tally();
    tally.add(entry.event);
    tallies.set(entry.payer, tally);
  };

  for (const { partition, begin, end } of await log.ranges(EVENTS)) {
    if (begin > 0) report('', `events before ${begin} of partition ${partition} are gone`);
    const snapshotAt = Math.min(snapshot?.next.get(partition) ?? 0, end);
    const payers = await readEntries(request, { partition, from: begin, until: snapshotAt }, take);
    for (const payer of snapshot ? payers : []) {
      const difference = describe(amountsOf(snapshot?.books ?? books, payer), amountsOf(books, payer));
      if (difference) report(payer, `the snapshot differs: ${difference}`);
    }
    await readEntries(request, { partition, from: Math.max(begin, snapshotAt), until: end }, take);
  }
  for (const [payer, { left, openCalls, problems: own }] of tallies) {
    for (const problem of own) report(payer, problem);
    const difference = describe(amountsOf(books, payer), { ...left, open: openCalls });
    if (difference) report(payer, `the events add up to something else: ${difference}`);
  }
  return { events, ...addAll(tallies), snapshot: snapshot !== null, problems };
};

/** The ledger leaves out a snapshot that is of another log, and so does its audit. */
const ofThisLog = async ({ log, snapshot }: Request): Promise<Snapshot | null> => {
  if (snapshot === null) return null;
  const identity = await identifyLog(log, EVENTS, snapshot.next);
  return identity === snapshot.logIdentity ? snapshot : null;
};

/** Resolves to whose events they were. */
const readEntries = async (
  { log, codec }: Request,
  { partition, from, until }: { partition: number; from: number; until: number },
  take: (entry: LedgerEntry) => void,
): Promise<Set<Payer>> => {
  const payers = new Set<Payer>();
  for (let offset = from; offset < until; ) {
    const records = await log.read({ topic: EVENTS, partition, offset, until, maxBytes: READ_BYTES });
    for (const { value } of records) {
      const entry = codec.decodeEntry(value);
      payers.add(entry.payer);
      take(entry);
    }
    offset = (records.at(-1)?.offset ?? until) + 1;
  }
  return payers;
};

const amountsOf = (books: Books, payer: Payer) => {
  const { analysesLeft, tracesLeft, packCredits, open } = books.stateOf(payer);
  return { analyses: analysesLeft, traces: tracesLeft, credits: packCredits, open: open.size };
};
type Amounts = ReturnType<typeof amountsOf>;

const describe = (is: Amounts, should: Amounts): string | null => {
  const names = Object.keys(is) as (keyof Amounts)[];
  const wrong = names.filter((name) => is[name] !== should[name]);
  return wrong.length === 0
    ? null
    : wrong.map((name) => `${name} ${is[name]}, not ${should[name]}`).join(', ');
};

const addAll = (tallies: ReadonlyMap<Payer, Tally>) => {
  const total = { reserved: 0, posted: 0, voided: 0, creditsAdded: 0, open: 0, creditsLeft: 0 };
  for (const { counts, left, openCalls } of tallies.values()) {
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) total[name] += counts[name];
    total.open += openCalls;
    total.creditsLeft += left.credits;
  }
  return { payers: tallies.size, ...total };
};
