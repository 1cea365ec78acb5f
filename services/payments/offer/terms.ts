import { setTimeout as sleep } from 'node:timers/promises';
import { x402ResourceServer } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { ExactSvmScheme } from '@x402/svm/exact/server';
import type { Clock } from '../../platform/clock.ts';
import type { PaymentNetwork } from '../../platform/config/x402.ts';
import { PaymentsUnavailableError } from '../book/payment-book.ts';
import type { Facilitator } from '../facilitator.ts';
import { isSolana } from '../is-solana.ts';

/** How long known terms are offered without asking again, and as long again if new ones do not arrive. */
const TERMS_MS = { fresh: 5 * 60_000, awaited: 1_000, again: 10_000 };

export type TermsOptions = {
  readonly facilitator: Facilitator;
  readonly networks: readonly PaymentNetwork[];
  readonly clock: Clock;
};

/** The facilitator's terms on our networks, in the library's form. Throws `PaymentsUnavailableError`. */
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
      // Payments are checked and settled by our code; the library only sees this answer.
      const server = new x402ResourceServer({ ...facilitator, getSupported: async () => supported } as never);
      for (const { network } of networks)
        server.register(network, isSolana(network) ? new ExactSvmScheme() : new ExactEvmScheme());
      await server.initialize();
      staleUnixMs = clock.nowUnixMs() + TERMS_MS.fresh;
      last = server;
    } catch (error) {
      // A facilitator that answers without terms is as useless as a silent one.
      if (last === null) throw new PaymentsUnavailableError('the facilitator', { cause: error });
      // Terms change rarely, so the last ones are offered while the facilitator is away.
      staleUnixMs = clock.nowUnixMs() + TERMS_MS.again;
    }
    return last;
  };

  /**
   * All waiters share one question. A caller with known terms does not wait long, because a payment may expire
   * meanwhile.
   */
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
    // The others use the known terms; the answer is taken whenever it arrives.
    staleUnixMs = clock.nowUnixMs() + TERMS_MS.again;
    return known;
  };
  return readTerms;
};
