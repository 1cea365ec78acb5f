import { type Balance, balanceAt } from './decider/balance.ts';
import type { LedgerCommand } from './decider/commands.ts';
import { decide, decideDue } from './decider/decide.ts';
import type { LedgerEvent } from './decider/events.ts';
import { evolve, forgetCalls } from './decider/evolve.ts';
import { initialState, isWallet, type Payer, type PayerState } from './decider/state.ts';
import { countUsage, type Usage } from './decider/usage.ts';
import type { LedgerEntry } from './ledger-codec.ts';

/** Every payer's books in memory: what the events say, or will say once what was decided here is durable. */
export class Books {
  readonly states = new Map<Payer, PayerState>();
  readonly usages = new Map<Payer, Usage>();
  /** No event is older than the one before it, whatever the machine's clock does. */
  lastUnixMs = 0;
  readonly #withOpenCalls = new Set<Payer>();

  /** Writes an event of the log into the books. */
  apply(entry: LedgerEntry): void {
    this.#apply(this.stateOf(entry.payer), entry);
  }

  /** Decides, and writes what was decided into the books at once: the next decision must know of it. */
  handle(payer: Payer, command: LedgerCommand, nowUnixMs: number): LedgerEntry[] {
    const atUnixMs = Math.max(nowUnixMs, this.lastUnixMs);
    const state = this.stateOf(payer);
    // Its events will forget what is too old, so nothing may be decided about it.
    forgetCalls(state, atUnixMs);
    const due = this.#applyAll(payer, state, decideDue(state, atUnixMs), atUnixMs);
    const decided = this.#applyAll(payer, state, decide(state, command, atUnixMs), atUnixMs);
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

  /** Wallets come and go without end; one whose calls are forgotten is as if it had never been here. */
  forgetWallets(nowUnixMs: number): void {
    for (const [payer, state] of this.states) {
      if (!isWallet(payer)) continue;
      forgetCalls(state, nowUnixMs);
      const { open, ended, refused, refusedUpToUnixMs } = state;
      if (open.size + ended.size + refused.size === 0 && refusedUpToUnixMs <= nowUnixMs)
        this.states.delete(payer);
    }
  }

  set(payer: Payer, state: PayerState): void {
    this.states.set(payer, state);
    if (state.open.size > 0) this.#withOpenCalls.add(payer);
    else this.#withOpenCalls.delete(payer);
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
    evolve(state, event, atUnixMs);
    this.set(payer, state);
    if (!state.isWallet) this.#countUsage(payer, event, atUnixMs);
    this.lastUnixMs = Math.max(this.lastUnixMs, atUnixMs);
  }

  #countUsage(payer: Payer, event: LedgerEvent, atUnixMs: number): void {
    const usage = this.usages.get(payer) ?? new Map();
    countUsage(usage, event, atUnixMs);
    if (usage.size > 0) this.usages.set(payer, usage);
  }
}
