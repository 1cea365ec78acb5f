import { setTimeout as sleep } from 'node:timers/promises';
import { x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import type { Clock } from '../../platform/clock.ts';
import type { PaymentNetwork } from '../../platform/config/x402.ts';
import { PaymentsUnavailableError } from '../book/payment-book.ts';
import type { Facilitator } from '../facilitator.ts';
import { isSolana } from '../is-solana.ts';

/** Known terms are offered so long unasked, and where new ones do not come in time, so long again. */
const TERMS_MS = { fresh: 5 * 60_000, awaited: 1_000, again: 10_000 };

export type TermsOptions = {
  readonly facilitator: Facilitator;
  readonly networks: readonly PaymentNetwork[];
  readonly clock: Clock;
};

/** The terms of the facilitator on our networks, as the library works with them. Throws `PaymentsUnavailableError`. */
export const createTerms = ({
  facilitator,
  networks,
  clock,
}: TermsOptions): (() => Promise<x402ResourceServer>) => {
  let terms: Promise<x402ResourceServer> | null = null;
  let last: x402ResourceServer | null = null;
  let staleUnixMs = 0;

  const askTerms = async (): Promise<x402ResourceServer> => {
    try {
      const supported = await facilitator.supported();
      // Payments are checked and settled by hand: what it calls is this answer only.
      const server = new x402ResourceServer({ ...facilitator, getSupported: async () => supported } as never);
      for (const { network } of networks)
        server.register(network, isSolana(network) ? new ExactSvmScheme() : new ExactEvmScheme());
      await server.initialize();
      staleUnixMs = clock.nowUnixMs() + TERMS_MS.fresh;
      last = server;
    } catch (error) {
      // One that answers without terms is of no more use than one that does not answer.
      if (last === null) throw new PaymentsUnavailableError('the facilitator', { cause: error });
      // Terms change rarely: while the facilitator is away, the last ones are offered.
      staleUnixMs = clock.nowUnixMs() + TERMS_MS.again;
    }
    return last;
  };

  /** Asked once for all who wait. Nobody waits long who has terms to offer: a payment may expire meanwhile. */
  const readTerms = async (): Promise<x402ResourceServer> => {
    if (last !== null && clock.nowUnixMs() < staleUnixMs) return last;
    terms ??= askTerms().finally(() => {
      terms = null;
    });
    return last === null ? terms : soon(terms, last);
  };

  const soon = async <T>(newer: Promise<T>, known: T): Promise<T> => {
    const answered = new AbortController();
    try {
      const late = sleep(TERMS_MS.awaited, null, { signal: answered.signal });
      const found = await Promise.race([newer, late]);
      if (found !== null) return found;
    } finally {
      answered.abort();
    }
    // The others do not wait for the same answer, which is taken whenever it comes.
    staleUnixMs = clock.nowUnixMs() + TERMS_MS.again;
    return known;
  };
  return readTerms;
};
