import type { Clock } from '../platform/clock.ts';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { readTopic } from '../platform/event-log/read-topic.ts';
import { PAYMENTS } from './book/payment-book.ts';
import type { PaymentCodec } from './book/payment-codec.ts';
import type { PaymentChain } from './chains/payment-chain.ts';
import { compareGrants, type GivenCredits, type PaymentProblem } from './compare-grants.ts';
import { evolve, forget } from './decider/evolve.ts';
import { initialState, type PaymentState, type PaymentStatus } from './decider/state.ts';
import { readSigned } from './settle/settle-payment.ts';

export type PaymentAudit = {
  readonly events: number;
  /** Payments by their end, or by their current state. */
  readonly payments: Readonly<Record<PaymentStatus, number>>;
  /** Payments whose end the chain was asked about. */
  readonly compared: number;
  /** Smallest units of the asset, by network and asset. */
  readonly settledRaw: ReadonlyMap<string, bigint>;
  /** Empty if chain, events and ledger agree on every payment. */
  readonly problems: readonly PaymentProblem[];
};

/** Payments open for longer than any payment is valid: nobody will finish them. */
const OPEN_MS_MAX = 15 * 60_000;

type Request = {
  readonly log: EventLog;
  readonly codec: PaymentCodec;
  readonly chainOf: (network: string) => PaymentChain;
  readonly clock: Clock;
  /** All credits that the ledger ever added. */
  readonly readGiven: () => Promise<readonly GivenCredits[]>;
  /** Called with the number of payments compared so far. */
  readonly onCompared?: (payments: number) => void;
};

/**
 * Reads every event of every payment. Asks the chain whether each payment moved exactly when the events say so,
 * and the ledger whether it gave the credits that were bought. Holds only payments that may still change or that
 * bought credits.
 */
export const auditPayments = async (request: Request): Promise<PaymentAudit> => {
  const payments = { claimed: 0, worked: 0, settling: 0, unknown: 0, settled: 0, failed: 0, released: 0 };
  const settledRaw = new Map<string, bigint>();
  const problems: PaymentProblem[] = [];
  let events = 0;
  let compared = 0;
  const count = async (payment: PaymentState, signed: string): Promise<void> => {
    const { key, wallet, status, claim } = payment;
    payments[status] += 1;
    compared += 1;
    request.onCompared?.(compared);
    const asset = `${claim.network}/${claim.asset}`;
    if (status === 'settled') settledRaw.set(asset, (settledRaw.get(asset) ?? 0n) + BigInt(claim.amountRaw));
    const problem = await compare(payment, signed, request).catch(
      () => 'could not be compared: the chain did not say',
    );
    if (problem !== null) problems.push({ key, wallet, problem });
  };
  const givenUnixMs = request.clock.nowUnixMs();
  const given = await request.readGiven();
  const state = initialState();
  const signed = new Map<string, string>();
  const countAll = async (those: Iterable<PaymentState>): Promise<void> => {
    for (const payment of those) {
      await count(payment, signed.get(payment.key) ?? '');
      signed.delete(payment.key);
    }
  };
  // One partition after another; all payments of a wallet are in one.
  for await (const records of readTopic(request.log, PAYMENTS)) {
    for (const { value } of records) {
      const entry = request.codec.decode(value);
      const { counts } = evolve(state, entry);
      if (counts && entry.event.type === 'PaymentClaimed') signed.set(entry.key, entry.event.signed);
    }
    events += records.length;
    await countAll(forget(state, records.at(-1)?.timeUnixMs ?? 0));
  }
  await countAll(state.payments.values());
  problems.push(...compareGrants(state.payments.values(), given, givenUnixMs));
  return { events, payments, compared, settledRaw, problems };
};

/** null if the chain agrees. */
const compare = async (
  { status, transaction, claimedUnixMs, statusUnixMs, claim }: PaymentState,
  signed: string,
  { chainOf, clock }: Pick<Request, 'chainOf' | 'clock'>,
): Promise<string | null> => {
  const found = await chainOf(claim.network).look(readSigned({ signed }), claimedUnixMs);
  if (status === 'settled') {
    if (found.status !== 'moved') return 'is settled by the events, and has not moved on chain';
    return found.transaction === transaction
      ? null
      : `is settled by ${transaction} by the events, and by ${found.transaction} on chain`;
  }
  const onChain = found.status === 'moved' ? 'moved' : 'has not moved';
  // An open settlement may have gone either way; the reconciler finds out.
  if (status === 'settling' || status === 'unknown') {
    const openMs = clock.nowUnixMs() - statusUnixMs;
    return openMs > OPEN_MS_MAX
      ? `is ${status} by the events for ${Math.floor(openMs / 60_000)} minutes, and ${onChain} on chain`
      : null;
  }
  return found.status === 'moved' ? `is ${status} by the events, and ${onChain} on chain` : null;
};
