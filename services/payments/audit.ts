import type { EventLog, PartitionRange } from '../platform/event-log/event-log.ts';
import { PAYMENTS } from './book/payment-book.ts';
import type { PaymentCodec } from './book/payment-codec.ts';
import type { PaymentChain } from './chains/payment-chain.ts';
import type { PaymentEntry } from './decider/events.ts';
import { evolve } from './decider/evolve.ts';
import { initialState, type PaymentState, type PaymentStatus } from './decider/state.ts';
import { readSigned } from './settle/settle-payment.ts';

export type PaymentProblem = { readonly key: string; readonly wallet: string; readonly problem: string };

export type PaymentAudit = {
  readonly events: number;
  /** Payments by how they ended, or how far they are. */
  readonly payments: Readonly<Record<PaymentStatus, number>>;
  /** Whose ends the chain was asked about. */
  readonly compared: number;
  /** Smallest units of the asset, by network and asset. */
  readonly settledRaw: ReadonlyMap<string, bigint>;
  /** Empty where the chain says of every payment what the events say. */
  readonly problems: readonly PaymentProblem[];
};

const READ_BYTES = 4 << 20;

type Request = {
  readonly log: EventLog;
  readonly codec: PaymentCodec;
  readonly chainOf: (network: string) => PaymentChain;
};

/** Reads every event of every payment and asks the chain whether each payment has moved exactly when they say so. */
export const auditPayments = async ({ log, codec, chainOf }: Request): Promise<PaymentAudit> => {
  const payments = { claimed: 0, worked: 0, settling: 0, unknown: 0, settled: 0, failed: 0, released: 0 };
  const settledRaw = new Map<string, bigint>();
  const problems: PaymentProblem[] = [];
  let events = 0;
  let compared = 0;
  for (const range of await log.ranges(PAYMENTS)) {
    // A wallet's payments all lie in one partition: no more than one is held at a time.
    const state = initialState();
    const signed = new Map<string, string>();
    events += await readEvents({ log, codec }, range, (entry) => {
      const { key, event } = entry;
      if (evolve(state, entry).counts && event.type === 'PaymentClaimed') signed.set(key, event.signed);
    });
    for (const payment of state.payments.values()) {
      const { key, wallet, status, claim } = payment;
      payments[status] += 1;
      const asset = `${claim.network}/${claim.asset}`;
      if (status === 'settled')
        settledRaw.set(asset, (settledRaw.get(asset) ?? 0n) + BigInt(claim.amountRaw));
      const problem = await compare(payment, signed.get(payment.key) ?? '', chainOf).catch(
        () => 'could not be compared: the chain did not say',
      );
      compared += 1;
      if (problem !== null) problems.push({ key, wallet, problem });
    }
  }
  return { events, payments, compared, settledRaw, problems };
};

/** Resolves to how many there were. */
const readEvents = async (
  { log, codec }: Pick<Request, 'log' | 'codec'>,
  { partition, begin, end }: PartitionRange,
  hear: (entry: PaymentEntry) => void,
): Promise<number> => {
  let events = 0;
  for (let offset = begin; offset < end; ) {
    const range = { topic: PAYMENTS, partition, offset, until: end, maxBytes: READ_BYTES };
    const records = await log.read(range);
    for (const { value } of records) hear(codec.decode(value));
    events += records.length;
    offset = (records.at(-1)?.offset ?? end) + 1;
  }
  return events;
};

/** null where the chain agrees. */
const compare = async (
  { status, transaction, claimedUnixMs, claim }: PaymentState,
  signed: string,
  chainOf: Request['chainOf'],
): Promise<string | null> => {
  const found = await chainOf(claim.network).look(readSigned({ signed }), claimedUnixMs);
  if (status === 'settled') {
    if (found.status !== 'moved') return 'is settled by the events, and has not moved on chain';
    return found.transaction === transaction
      ? null
      : `is settled by ${transaction} by the events, and by ${found.transaction} on chain`;
  }
  // A settlement that is still open may have gone either way; its reconciler knows soon.
  if (status === 'settling' || status === 'unknown') return null;
  return found.status === 'moved' ? `is ${status} by the events, and moved on chain` : null;
};
