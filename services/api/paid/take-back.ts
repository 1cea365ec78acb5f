import { setTimeout as sleep } from 'node:timers/promises';
import { type Payer, REMEMBERED_MS } from '../../credits/decider/state.ts';
import type { Ledger } from '../../credits/ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ApiLogger } from '../context.ts';

/** What changing a call at the ledger needs. */
export type LedgerDependencies = {
  readonly ledger: Pick<Ledger, 'submit'>;
  readonly clock: Clock;
  readonly logger: ApiLogger;
};

const AGAIN_MS = 1_000;

/**
 * Voids a call whose command got no answer. The command may still be carried out, and then a reservation would
 * block one of three places, or a post would charge for an answer nobody got. Retries for as long as the ledger
 * knows the call, unless `mayVoid` says that the answer was given. Resolves to whether the call is known to be
 * void.
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
