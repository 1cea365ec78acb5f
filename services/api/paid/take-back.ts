import { setTimeout as sleep } from 'node:timers/promises';
import { type Payer, REMEMBERED_MS } from '../../credits/decider/state.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiLogger } from '../context.ts';

/** What is needed to change a call at the ledger. */
export type LedgerDependencies = {
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly clock: Clock;
  readonly logger: ApiLogger;
};

const AGAIN_MS = 1_000;

/**
 * A command that was not answered may be carried out later: a reservation would hold one of three places for nothing, and
 * nobody got the result of a call that was posted. It is voided, again and again for as long as the ledger knows it, unless
 * `mayVoid` says that somebody got it after all. Resolves to whether it is known to be void.
 */
export const createTakeBack =
  ({ ledger, clock, logger }: LedgerDependencies) =>
  async (
    payer: Payer,
    callId: string,
    deadlineUnixMs: number,
    mayVoid: () => Promise<boolean> = async () => true,
  ): Promise<boolean> => {
    while (clock.nowUnixMs() < deadlineUnixMs + REMEMBERED_MS) {
      try {
        if (!(await mayVoid())) return false;
        await ledger.submit(payer, { type: 'VoidCall', callId, reason: 'unanswered', deadlineUnixMs });
        return true;
      } catch {
        await sleep(AGAIN_MS, undefined, { ref: false });
      }
    }
    logger.error({ callId }, 'a charge could not be reversed');
    return false;
  };
