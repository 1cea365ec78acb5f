import { Books } from '../../credits/books.ts';
import { findAnswer } from '../../credits/decider/answer.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';

/** The rules of the ledger over books in memory: everything but that they last. */
export const createMemoryLedger = (clock: Clock, callsMax?: number): Ledger => {
  const books = new Books();
  return {
    submit: async (payer, command) => {
      books.handle(payer, command, clock.nowUnixMs(), callsMax);
      const answer = findAnswer(books.stateOf(payer), command);
      if (answer === null) throw new Error(`${command.type} was not answered`);
      return answer;
    },
    balance: (payer) => books.balance(payer, clock.nowUnixMs()),
    usage: (payer) => books.usages.get(payer) ?? new Map(),
    keysUsed: (payer) => books.stateOf(payer).keysUsed,
    hasApplied: (payer, commandId) => books.stateOf(payer).applied.has(commandId),
    isReady: () => true,
    ready: async () => {},
    stop: async () => {},
  };
};
