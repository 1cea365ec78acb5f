import type { Clock } from '../../platform/clock.ts';
import { ENDED, type PaymentState } from '../decider/state.ts';
import type { PaymentLimits } from '../limits.ts';
import { type SettleDependencies, settlePayment } from './settle-payment.ts';

/** Finishes payments that no other process finishes. */
type Finisher = {
  /** Whether there is anything to do, now or later. */
  isOpen(payment: PaymentState): boolean;
  /**
   * Does what is due. Resolves when the parts that need only the log are written; it does not wait for a silent
   * facilitator, node or ledger. Never throws.
   */
  finish(payments: Iterable<PaymentState>): Promise<void>;
  /** Resolves when nothing is running any more. */
  ended(): Promise<void>;
};

export type FinisherOptions = SettleDependencies & {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly limits: Pick<PaymentLimits, 'settlingMs'>;
};

const AGAIN_MS = 1_000;
const AGAIN_MS_MAX = 60_000;
/**
 * How many payments are asked about, and how many credits given, at once. A silent peer holds each question for a
 * minute.
 */
const AT_ONCE = 8;

export const createFinisher = (options: FinisherOptions): Finisher => {
  const { book, clock, giveCredits, onError, signal, limits } = options;
  const given = new Set<string>();
  const tries = new Map<string, { readonly times: number; readonly nextUnixMs: number }>();
  const asking = new Map<string, Promise<void>>();
  const giving = new Map<string, Promise<void>>();

  const begin = (underWay: Map<string, Promise<void>>, key: string, work: () => Promise<void>): void => {
    if (underWay.size >= AT_ONCE || underWay.has(key)) return;
    const ending = work()
      .catch(onError)
      .finally(() => underWay.delete(key));
    underWay.set(key, ending);
  };

  const nextTryUnixMs = ({ key }: PaymentState): number => tries.get(key)?.nextUnixMs ?? 0;
  const askAgainLater = (key: string): void => {
    const times = (tries.get(key)?.times ?? 0) + 1;
    const waitMs = Math.min(AGAIN_MS * 2 ** (times - 1), AGAIN_MS_MAX);
    tries.set(key, { times, nextUnixMs: clock.nowUnixMs() + waitMs });
  };

  const ask = async (payment: PaymentState): Promise<void> => {
    askAgainLater(payment.key);
    const { status } = await settlePayment(options, payment, { isFirst: false });
    if (status !== 'unknown') tries.delete(payment.key);
  };

  /** The settling process may have died before it gave the credits. */
  const give = async ({ key, claim }: PaymentState): Promise<void> => {
    if (claim.grant === null || !giveCredits) return;
    await giveCredits(claim.grant, key);
    given.add(key);
  };

  const write = async ({ wallet, key, claim, status, statusUnixMs }: PaymentState): Promise<void> => {
    const { claimId, deadlineUnixMs } = claim;
    const nowUnixMs = clock.nowUnixMs();
    if ((status === 'claimed' || status === 'worked') && deadlineUnixMs <= nowUnixMs)
      await book.record(wallet, key, { type: 'PaymentReleased', claimId, reason: 'abandoned' });
    // The client was never answered: from here on the payment fetches the result.
    if (status === 'settling' && statusUnixMs + limits.settlingMs <= nowUnixMs)
      await book.record(wallet, key, { type: 'PaymentUnknown', claimId });
  };

  const isOpen = ({ key, status, claim }: PaymentState): boolean =>
    status === 'settled' ? claim.grant !== null && !given.has(key) : !ENDED.includes(status);

  const finish: Finisher['finish'] = async (payments) => {
    const open = [...payments].filter(isOpen);
    for (const payment of open)
      if (payment.status === 'settled') begin(giving, payment.key, () => give(payment));
    const nowUnixMs = clock.nowUnixMs();
    // Those that were asked about longest ago, or never, come first.
    const due = open.filter((payment) => payment.status === 'unknown' && nextTryUnixMs(payment) <= nowUnixMs);
    for (const payment of due.sort((a, b) => nextTryUnixMs(a) - nextTryUnixMs(b)))
      begin(asking, payment.key, () => ask(payment));
    for (const payment of open) {
      if (signal.aborted) return;
      await write(payment).catch(onError);
    }
  };

  return {
    isOpen,
    finish,
    ended: async () => {
      await Promise.all([...asking.values(), ...giving.values()]);
    },
  };
};
