import { OPEN_CALLS_MAX } from '../../credits/decider/state.ts';
import { PAYMENTS } from '../../payments/book/payment-book.ts';
import type { PaymentCodec } from '../../payments/book/payment-codec.ts';
import { evolve } from '../../payments/decider/evolve.ts';
import { FAILURES_MAX, initialState, type PaymentsState } from '../../payments/decider/state.ts';
import { TERMS } from './open-payments.ts';
import type { SimulatedPayment } from './paying-clients.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import type { Broker } from './simulated-log.ts';

type Run = {
  readonly payments: readonly SimulatedPayment[];
  readonly chain: SimulatedChain;
  readonly broker: Broker;
  readonly codec: PaymentCodec;
};

/** Compares what paying clients got with what moved on chain and with what the log says of it. */
export const findPaymentProblems = (run: Run): string[] => {
  const state = initialState();
  for (const range of run.broker.ranges(PAYMENTS))
    for (const { value } of run.broker.records(range)) evolve(state, run.codec.decode(value));
  return [
    ...run.payments.flatMap((payment) =>
      judge(payment, run.chain, state).map((problem) => `payment ${Number(payment.nonce)} ${problem}`),
    ),
    ...findFreeRiders(run),
  ];
};

const judge = (payment: SimulatedPayment, chain: SimulatedChain, state: PaymentsState): string[] => {
  const { key, nonce, grants } = payment;
  const recorded = state.payments.get(key);
  const status = recorded?.status ?? 'never claimed';
  const hasMoved = chain.findPayment(nonce, TERMS) !== undefined;
  const paid = grants.filter(({ isPaid }) => isPaid);
  const found: string[] = [];
  if (new Set(paid.map(({ request }) => request)).size > 1) found.push('bought answers to two requests');
  if (new Set(paid.map(({ answer }) => answer)).size > 1) found.push('bought the work twice');
  const given = paid.filter(({ isReplay }) => !isReplay);
  // Who could not write down that it was given has it given again.
  if (given.length < paid.length && !given.some(({ host }) => host.hasSuffered))
    found.push('brought its answer to whoever sent it again');
  if (paid.length > 0 && !hasMoved) found.push(`bought an answer and did not move: ${status}`);
  if (grants.some(({ isPaid }) => !isPaid) && payment.work !== 'free')
    found.push('brought an answer that it should have paid for');
  // Its own work, or what was worked out for the same request and not paid for.
  if (hasMoved && !recorded?.answer) found.push('moved for work that came to nothing');
  if (hasMoved !== (status === 'settled'))
    found.push(`is ${status}, and ${hasMoved ? 'moved' : 'did not move'}`);
  if (!['settled', 'failed', 'released', 'never claimed'].includes(status)) found.push(`is still ${status}`);
  // Its client may still ask for it.
  const isOwed = recorded?.answer && recorded.handOver !== 'given';
  if (hasMoved && paid.length === 0 && !isOwed) found.push('moved, and brought nothing');
  return found;
};

/** Work for who never pays ends after some failed settlements, and those that were under way by then. */
const findFreeRiders = ({ payments, chain }: Run): string[] =>
  [...chain.poor].flatMap((payer) => {
    const worked = payments.filter((p) => p.payer === payer).reduce((sum, p) => sum + p.worked, 0);
    const most = FAILURES_MAX + OPEN_CALLS_MAX;
    return worked > most ? [`${payer} had work done ${worked} times without paying`] : [];
  });
