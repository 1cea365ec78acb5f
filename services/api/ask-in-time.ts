import { askOnce } from '../platform/ask-once.ts';
import type { ApiState } from './context.ts';

/** For whom a wallet is read. */
export type Asker = {
  /** An account, or the address of who has none. */
  readonly payer: string;
  /** Whether its call is charged: it comes before those that are not. */
  readonly isPaid: boolean;
};

/** Has the history of a wallet read that is not indexed; false where nobody can, or not soon. */
export type AskForWallet = (chain: string, wallet: string, asker: Asker) => Promise<boolean>;

/** A log that can be reached takes milliseconds; one that cannot is written to again until it can. */
const PATIENCE_MS = 3_000;

/**
 * Asks no longer than an answer that is there can be held back for it, with what was reserved for it: after that it is given as if
 * nobody could be asked, and promises nothing.
 */
export const askInTime =
  (askForWallet: AskForWallet, withinMs = PATIENCE_MS): AskForWallet =>
  async (...asked) =>
    (await askOnce(() => askForWallet(...asked), withinMs)()) ?? false;

export const askerOf = ({ caller, from }: Pick<ApiState, 'caller' | 'from'>, isFree: boolean): Asker => ({
  payer: caller.kind === 'account' ? `account:${caller.accountId}` : from.name,
  isPaid: !isFree && caller.kind !== 'anyone',
});
