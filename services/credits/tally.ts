import type { Charge, LedgerEvent } from './decider/events.ts';
import { NO_PLAN } from './decider/plans.ts';
import { OPEN_CALLS_MAX, REMEMBERED_MS } from './decider/state.ts';

/** What a call took, and the latest time at which it may be open. */
type Taken = { readonly charge: Charge; readonly deadlineUnixMs: number };

type Amounts = { analyses: number; traces: number; credits: number };

/** Differences reported for each payer. */
const PROBLEMS_MAX = 100;

const UNITS = ['analyses', 'traces', 'credits'] as const;
const isSame = (a: Charge, b: Charge): boolean => UNITS.every((unit) => a[unit] === b[unit]);
const isWithin = (part: Charge, whole: Charge): boolean => UNITS.every((unit) => part[unit] <= whole[unit]);

/**
 * One payer's books by plain addition of the amounts in the events. It shares no rule with the ledger, so one
 * mistake cannot hide in both.
 */
export class Tally {
  readonly left: Amounts = { analyses: 0, traces: 0, credits: 0 };
  readonly counts = { reserved: 0, posted: 0, voided: 0, creditsAdded: 0 };
  /** Event sequences that a correct ledger never writes. */
  readonly problems: string[] = [];
  readonly #open = new Map<string, Taken>();
  /** Posted calls that may still be voided, each with the latest deadline of all calls that ended before it. */
  readonly #posted = new Map<string, Taken>();
  #endedUpToUnixMs = 0;
  readonly #commands = new Set<string>();

  get openCalls(): number {
    return this.#open.size;
  }

  add(event: LedgerEvent, atUnixMs: number): void {
    this.forget(atUnixMs);
    this.#write(event);
    if (UNITS.some((unit) => this.left[unit] < 0)) this.#report('a balance is negative');
    if (this.#open.size > OPEN_CALLS_MAX) this.#report(`more than ${OPEN_CALLS_MAX} calls are open`);
  }

  /** Drops calls that are too old to be voided. */
  forget(atUnixMs: number): void {
    for (const [callId, { deadlineUnixMs }] of this.#posted) {
      if (deadlineUnixMs + REMEMBERED_MS > atUnixMs) return;
      this.#posted.delete(callId);
    }
  }

  #write(event: LedgerEvent): void {
    switch (event.type) {
      case 'CallReserved':
        this.counts.reserved += 1;
        if (this.#open.has(event.callId)) this.#report(`call ${event.callId} is reserved twice`);
        this.#open.set(event.callId, event);
        this.#move(event.charge, -1);
        return;
      case 'CallRefused':
        return;
      case 'CallPosted': {
        const reserved = this.#open.get(event.callId);
        if (!reserved || !isSame(reserved.charge, event.charge))
          this.#report(`call ${event.callId} is posted, but not as it was reserved`);
        this.counts.posted += 1;
        this.#open.delete(event.callId);
        if (reserved) this.#posted.set(event.callId, this.#end(reserved));
        return;
      }
      case 'CallVoided':
        this.#void(event);
        return;
      case 'PlanChanged':
        this.#once(event.commandId);
        if (event.plan === NO_PLAN) Object.assign(this.left, { analyses: 0, traces: 0 });
        return;
      case 'PeriodStarted':
        Object.assign(this.left, { analyses: event.analyses, traces: event.traces });
        return;
      case 'CreditsAdded':
        this.#once(event.commandId);
        this.counts.creditsAdded += event.credits;
        this.left.credits += event.credits;
    }
  }

  #void(event: Extract<LedgerEvent, { type: 'CallVoided' }>): void {
    const { callId, charge, refund, postedUnixMs } = event;
    const taken = (postedUnixMs === null ? this.#open : this.#posted).get(callId);
    if (!taken || !isSame(taken.charge, charge) || !isWithin(refund, charge))
      this.#report(`call ${callId} is voided, but not as it was reserved`);
    this.counts.voided += 1;
    if (postedUnixMs !== null) this.counts.posted -= 1;
    this.#open.delete(callId);
    this.#posted.delete(callId);
    if (taken) this.#end(taken);
    this.#move(refund, 1);
  }

  /** The ledger forgets calls in the order of their ends, so a due call stays while an earlier one does. */
  #end({ charge, deadlineUnixMs }: Taken): Taken {
    this.#endedUpToUnixMs = Math.max(this.#endedUpToUnixMs, deadlineUnixMs);
    return { charge, deadlineUnixMs: this.#endedUpToUnixMs };
  }

  #move(charge: Charge, sign: 1 | -1): void {
    for (const unit of UNITS) this.left[unit] += sign * charge[unit];
  }

  #report(problem: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problem);
  }

  /** Plans that end by themselves have no command. */
  #once(commandId: string): void {
    if (commandId === '') return;
    if (this.#commands.has(commandId)) this.#report(`command ${commandId} counts twice`);
    this.#commands.add(commandId);
  }
}
