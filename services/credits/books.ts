import { type Balance, balanceAt } from './decider/balance.ts';
import type { LedgerCommand } from './decider/commands.ts';
import { decide, decideDue } from './decider/decide.ts';
import type { LedgerEvent } from './decider/events.ts';
import { evolve, forgetCalls } from './decider/evolve.ts';
import { CALLS_MAX, initialState, type Payer, type PayerState } from './decider/state.ts';
import { countUsage, type Usage } from './decider/usage.ts';
import type { LedgerEntry } from './ledger-codec.ts';

const callsOf = ({ open, ended }: PayerState): number => open.size + ended.size;

/** Every payer's books in memory: what the events say, or will say once what was decided here is durable. */
export class Books {
  readonly states = new Map<Payer, PayerState>();
  readonly usages = new Map<Payer, Usage>();
  /** No event is older than the one before it, whatever the machine's clock does. */
  lastUnixMs = 0;
  readonly #withOpenCalls = new Set<Payer>();
  #calls = 0;

  /** How many calls are held, open or ended and still remembered. */
  get calls(): number {
    return this.#calls;
  }

  /** Writes an event of the log into the books. */
  apply(entry: LedgerEntry): void {
    this.#apply(this.stateOf(entry.payer), entry);
  }

  /** Decides, and writes what was decided into the books at once: the next decision must know of it. */
  handle(payer: Payer, command: LedgerCommand, nowUnixMs: number, callsMax = CALLS_MAX): LedgerEntry[] {
    const atUnixMs = Math.max(nowUnixMs, this.lastUnixMs);
    const state = this.stateOf(payer);
    // Its events will forget what is too old, so nothing may be decided about it.
    this.#change(state, () => forgetCalls(state, atUnixMs));
    const due = this.#applyAll(payer, state, decideDue(state, atUnixMs), atUnixMs);
    const isFull = this.#calls >= callsMax;
    const decided = this.#applyAll(payer, state, decide(state, command, atUnixMs, isFull), atUnixMs);
    return due.length === 0 ? decided : [...due, ...decided];
  }

  /** Voids what is past its deadline, as `handle` does for one payer. */
  handleDue(nowUnixMs: number): LedgerEntry[] {
    const atUnixMs = Math.max(nowUnixMs, this.lastUnixMs);
    return [...this.#withOpenCalls].flatMap((payer) => {
      const state = this.stateOf(payer);
      return this.#applyAll(payer, state, decideDue(state, atUnixMs), atUnixMs);
    });
  }

  balance(payer: Payer, nowUnixMs: number): Balance {
    return balanceAt(this.stateOf(payer), Math.max(nowUnixMs, this.lastUnixMs));
  }

  stateOf(payer: Payer): PayerState {
    return this.states.get(payer) ?? initialState(payer);
  }

  /**
   * What is too old, of whoever does not come again. Wallets, and accounts that never had anything, come and go without
   * end: one whose calls are forgotten is as if it had never been here.
   */
  forget(nowUnixMs: number, payers: Iterable<Payer> = this.states.keys()): void {
    for (const payer of payers) {
      const state = this.stateOf(payer);
      this.#change(state, () => forgetCalls(state, nowUnixMs));
      const { applied, open, ended, refused, refusedUpToUnixMs } = state;
      if (applied.size + open.size + ended.size + refused.size === 0 && refusedUpToUnixMs <= nowUnixMs)
        this.states.delete(payer);
    }
  }

  /** Takes in books that were stored. */
  add(payer: Payer, state: PayerState): void {
    this.#calls += callsOf(state);
    this.#set(payer, state);
  }

  #set(payer: Payer, state: PayerState): void {
    this.states.set(payer, state);
    if (state.open.size > 0) this.#withOpenCalls.add(payer);
    else this.#withOpenCalls.delete(payer);
  }

  #change(state: PayerState, change: () => void): void {
    const before = callsOf(state);
    change();
    this.#calls += callsOf(state) - before;
  }

  #applyAll(
    payer: Payer,
    state: PayerState,
    events: readonly LedgerEvent[],
    atUnixMs: number,
  ): LedgerEntry[] {
    const entries = events.map((event) => ({ payer, atUnixMs, event }));
    for (const entry of entries) this.#apply(state, entry);
    return entries;
  }

  #apply(state: PayerState, { payer, atUnixMs, event }: LedgerEntry): void {
    this.#change(state, () => evolve(state, event, atUnixMs));
    this.#set(payer, state);
    if (!state.isWallet) this.#countUsage(payer, event, atUnixMs);
    this.lastUnixMs = Math.max(this.lastUnixMs, atUnixMs);
  }

  #countUsage(payer: Payer, event: LedgerEvent, atUnixMs: number): void {
    const usage = this.usages.get(payer) ?? new Map();
    countUsage(usage, event, atUnixMs);
    if (usage.size > 0) this.usages.set(payer, usage);
  }
}
