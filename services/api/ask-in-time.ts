import { askOnce } from '../platform/ask-once.ts';
import type { ApiState } from './context.ts';

/** For whom a wallet is read. */
export type Asker = {
  /** An account, or the address of a caller without one. */
  readonly payer: string;
  /** Whether its call is charged. Charged calls go first. */
  readonly isPaid: boolean;
};

/** Asks for the history of an unindexed wallet to be read; false if nobody can, or not soon. */
export type AskForWallet = (chain: string, wallet: string, asker: Asker) => Promise<boolean>;

/** A reachable log takes milliseconds; an unreachable one is retried. */
const PATIENCE_MS = 3_000;

/**
 * Waits only as long as a ready answer may be delayed. After that the answer is given without promising a history.
 */
export const askInTime =
  (askForWallet: AskForWallet, withinMs = PATIENCE_MS): AskForWallet =>
  async (...asked) =>
    (await askOnce(() => askForWallet(...asked), withinMs)()) ?? false;

export const askerOf = ({ caller, from }: Pick<ApiState, 'caller' | 'from'>, isFree: boolean): Asker => ({
  payer: caller.kind === 'account' ? `account:${caller.accountId}` : from.name,
  isPaid: !isFree && caller.kind !== 'anyone',
});
