import type { EventLog } from '../platform/event-log/event-log.ts';
import { Books } from './books.ts';
import { EVENTS } from './books-view.ts';
import { amountsOf, describeDifference } from './compare-amounts.ts';
import type { Payer } from './decider/state.ts';
import type { LedgerCodec, LedgerEntry } from './ledger-codec.ts';
import type { Snapshot } from './snapshot-file.ts';
import { Tally } from './tally.ts';

export type AuditProblem = { readonly payer: string; readonly problem: string };

const READ_BYTES = 4 << 20;
const PROBLEMS_MAX = 1_000;

type Options = {
  readonly log: Pick<EventLog, 'read'>;
  readonly codec: LedgerCodec;
  /** Compared with the books at the offset of its last event. */
  readonly snapshot: Snapshot | null;
};

/** The ledger's events, read again. Every balance is computed by the ledger's rules and by plain addition. */
export class ReplayedLedger {
  readonly books = new Books();
  readonly tallies = new Map<Payer, Tally>();
  readonly problems: AuditProblem[] = [];
  events = 0;
  readonly #options: Options;
  /** The next offset of each partition. */
  readonly #next = new Map<number, number>();
  readonly #payersOf = new Map<number, Set<Payer>>();

  constructor(options: Options) {
    this.#options = options;
  }

  report(payer: string, problem: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ payer, problem });
  }

  /** Reads each partition up to there, exclusive. Resolves to the payers of these events. */
  async readOn(ends: ReadonlyMap<number, number>): Promise<Set<Payer>> {
    const payers = new Set<Payer>();
    for (const [partition, end] of ends) {
      const snapshotAt = this.#options.snapshot?.next.get(partition) ?? 0;
      if (this.#nextOf(partition) < snapshotAt && snapshotAt <= end) {
        await this.#read(partition, snapshotAt, payers);
        this.#compareSnapshot(this.#payersOf.get(partition) ?? []);
      }
      await this.#read(partition, end, payers);
    }
    return payers;
  }

  /**
   * Differences between the ledger and the addition, and payers of the snapshot without any event. Call it after
   * reading everything.
   */
  compareTallies(): void {
    const inSnapshot = [...(this.#options.snapshot?.books.states.keys() ?? [])];
    this.#compareSnapshot(inSnapshot.filter((payer) => !this.tallies.has(payer)));
    for (const [payer, { left, openCalls, problems }] of this.tallies) {
      for (const problem of problems) this.report(payer, problem);
      const difference = describeDifference(amountsOf(this.books, payer), { ...left, open: openCalls });
      if (difference) this.report(payer, `the events add up to something else: ${difference}`);
    }
  }

  #nextOf(partition: number): number {
    return this.#next.get(partition) ?? 0;
  }

  async #read(partition: number, until: number, payers: Set<Payer>): Promise<void> {
    const { log, codec } = this.#options;
    const known = this.#payersOf.get(partition) ?? new Set();
    this.#payersOf.set(partition, known);
    for (let offset = this.#nextOf(partition); offset < until; offset = this.#nextOf(partition)) {
      const records = await log.read({ topic: EVENTS, partition, offset, until, maxBytes: READ_BYTES });
      let atUnixMs = 0;
      for (const { value } of records) {
        const entry = codec.decodeEntry(value);
        payers.add(entry.payer);
        known.add(entry.payer);
        this.#take(entry);
        ({ atUnixMs } = entry);
      }
      this.#forget(known, atUnixMs);
      this.#next.set(partition, records.length === 0 ? until : (records.at(-1)?.offset ?? 0) + 1);
    }
  }

  #take(entry: LedgerEntry): void {
    const { payer, atUnixMs, event } = entry;
    this.events += 1;
    try {
      this.books.apply(entry);
    } catch (error) {
      this.report(payer, `the ledger cannot take its event ${event.type}: ${(error as Error).message}`);
    }
    const tally = this.tallies.get(payer) ?? new Tally();
    tally.add(event, atUnixMs);
    this.tallies.set(payer, tally);
  }

  /**
   * Drops what cannot change any more. Only for this partition's payers: other partitions are read up to another
   * time.
   */
  #forget(payers: ReadonlySet<Payer>, atUnixMs: number): void {
    this.books.forget(atUnixMs, payers);
    for (const payer of payers) this.tallies.get(payer)?.forget(atUnixMs);
  }

  #compareSnapshot(payers: Iterable<Payer>): void {
    const { snapshot } = this.#options;
    if (snapshot === null) return;
    for (const payer of payers) {
      const difference = describeDifference(bookedOf(snapshot.books, payer), bookedOf(this.books, payer));
      if (difference) this.report(payer, `the snapshot differs: ${difference}`);
    }
  }
}

/** If a snapshot lost a command, its repetition would count again. */
const bookedOf = (books: Books, payer: Payer) => ({
  ...amountsOf(books, payer),
  commands: books.stateOf(payer).applied.size,
});
