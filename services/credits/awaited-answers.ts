import { findAnswer, type LedgerAnswer } from './decider/answer.ts';
import type { LedgerCommand } from './decider/commands.ts';
import type { Payer, PayerState } from './decider/state.ts';
import type { PayerCommand } from './ledger-codec.ts';

type Waiter = { readonly command: LedgerCommand; resolve(answer: LedgerAnswer): void };

/** Waits for answers to commands that another process decides, or a writer of this process. */
export class AwaitedAnswers {
  readonly #waiters = new Map<Payer, Set<Waiter>>();

  /** The payers whose commands are awaited. */
  payers(): Iterable<Payer> {
    return this.#waiters.keys();
  }

  /** Resolves to the answer that `ask` leads to. Rejects when `ask` rejects, and with the signal's reason. */
  async await(
    { payer, command }: PayerCommand,
    ask: () => Promise<unknown>,
    signal: AbortSignal,
  ): Promise<LedgerAnswer> {
    const { promise, resolve } = Promise.withResolvers<LedgerAnswer>();
    const waiter: Waiter = { command, resolve };
    const others = this.#waiters.get(payer) ?? new Set();
    this.#waiters.set(payer, others.add(waiter));
    try {
      const answer = async (): Promise<LedgerAnswer> => {
        await ask();
        return promise;
      };
      return await Promise.race([answer(), rejectOnAbort(signal)]);
    } finally {
      others.delete(waiter);
      if (others.size === 0) this.#waiters.delete(payer);
    }
  }

  /** Called when the books of this payer changed. */
  findIn(payer: Payer, state: PayerState): void {
    for (const waiter of this.#waiters.get(payer) ?? []) {
      const answer = findAnswer(state, waiter.command);
      if (answer !== null) waiter.resolve(answer);
    }
  }

  give({ payer, command }: PayerCommand, answer: LedgerAnswer): void {
    for (const waiter of this.#waiters.get(payer) ?? [])
      if (isSame(waiter.command, command)) waiter.resolve(answer);
  }
}

const isSame = (a: LedgerCommand, b: LedgerCommand): boolean =>
  a.type === b.type && ('callId' in a ? a.callId : a.id) === ('callId' in b ? b.callId : b.id);

export const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
