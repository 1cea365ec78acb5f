import { askOnce } from '../platform/ask-once.ts';

/** Has the history of a wallet read that is not indexed; false where nobody can. */
export type AskForWallet = (chain: string, wallet: string) => Promise<boolean>;

/** A log that can be reached takes milliseconds; one that cannot is written to again until it can. */
const PATIENCE_MS = 3_000;

/**
 * Asks no longer than an answer that is there can be held back for it, with what was reserved for it: after that it is given as if
 * nobody could be asked, and promises nothing.
 */
export const askInTime =
  (askForWallet: AskForWallet, withinMs = PATIENCE_MS): AskForWallet =>
  async (chain, wallet) =>
    (await askOnce(() => askForWallet(chain, wallet), withinMs)()) ?? false;
