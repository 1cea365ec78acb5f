import { type Balance, balanceAt } from './decider/balance.ts';
import type { LedgerCommand } from './decider/commands.ts';
import { decide, decideDue } from './decider/decide.ts';
import type { LedgerEvent } from './decider/events.ts';
import { evolve, forgetCalls } from './decider/evolve.ts';
import { CALLS_MAX, initialState, type Payer, type PayerState } from './decider/state.ts';
import { countUsage, type Usage } from './decider/usage.ts';
import type { LedgerEntry } from './ledger-codec.ts';

const callsOf = ({ open, ended }: PayerState): number => open.size + ended.size;

/** Every payer's books in memory. They include decisions whose events are not durable yet. */
export class Books {
  readonly states = new Map<Payer, PayerState>();
  readonly usages = new Map<Payer, Usage>();
  /** Event times never go back, even if the machine's clock does. */
  lastUnixMs = 0;
  readonly #withOpenCalls = new Set<Payer>();
  #calls = 0;

  /** The number of calls held: open ones, and ended ones still remembered. */
  get calls(): number {
    return this.#calls;
  }

  /** Applies an event of the log. */
  apply(entry: LedgerEntry): void {
    this.#apply(this.stateOf(entry.payer), entry);
  }

  /** Decides and applies the decision at once, because the next decision depends on it. */
  handle(payer: Payer, command: LedgerCommand, nowUnixMs: number, callsMax = CALLS_MAX): LedgerEntry[] {
    const atUnixMs = Math.max(nowUnixMs, this.lastUnixMs);
    const state = this.stateOf(payer);
    // The payer's old calls must be forgotten before a decision.
    this.#change(state, () => forgetCalls(state, atUnixMs));
    const due = this.#applyAll(payer, state, decideDue(state, atUnixMs), atUnixMs);
    const isFull = this.#calls >= callsMax;
    const decided = this.#applyAll(payer, state, decide(state, command, atUnixMs, isFull), atUnixMs);
    return due.length === 0 ? decided : [...due, ...decided];
  }

  /** Voids reservations past their deadline, for all payers. */
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
   * Forgets old calls of payers who do not return. A wallet, or an account that never had credits, is removed with
   * its last call.
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

  /** Loads books from a snapshot. */
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
