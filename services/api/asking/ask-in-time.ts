import { type WantedPart, WHOLE_HISTORY } from '../../events/wallet-events.ts';
import { askOnce } from '../../platform/ask-once.ts';

/** A part of the history of a wallet or contract; the address in the tables' form. */
export type Wanted = WantedPart & { readonly address: string };

export const wholeHistory = (address: string): Wanted => ({ ...WHOLE_HISTORY, address });

/** For whom a history is read. */
export type Asker = {
  /** An account, or the address of a caller without one. */
  readonly payer: string;
  /** Whether its call is charged, or comes from this machine. Those go first. */
  readonly isPaid: boolean;
};

/** An estimate of when it is read. */
export type Promised = { readonly withinSeconds: number };

/** Asks for a history to be read; null if nobody can, or not soon. */
export type AskForWallet = (chain: string, wanted: Wanted, asker: Asker) => Promise<Promised | null>;

/** A reachable log takes milliseconds; an unreachable one is retried. */
const PATIENCE_MS = 3_000;

/**
 * Waits only as long as a ready answer may be delayed. After that the answer is given without promising a history.
 */
export const askInTime =
  (askForWallet: AskForWallet, withinMs = PATIENCE_MS): AskForWallet =>
  async (...asked) =>
    (await askOnce(() => askForWallet(...asked), withinMs)()) ?? null;
