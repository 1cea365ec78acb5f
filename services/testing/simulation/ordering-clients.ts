import type { ChargeCall, WorkDone } from '../../api/paid/charge-call.ts';
import type { LedgerCommand } from '../../credits/decider/commands.ts';
import type { LedgerEvent } from '../../credits/decider/events.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { LedgerUnavailableError } from '../../credits/ledger.ts';
import type { Random } from '../../demo-world/random.ts';
import type { ApiHost, Subjects } from './api-host.ts';
import type { VirtualTime } from './virtual-time.ts';

type Order = {
  readonly key: string;
  readonly payer: Payer;
  /** Every call that the ledger was asked for under the key. */
  readonly callIds: string[];
  /** Which piece of work each answer came from. */
  readonly answers: number[];
  worked: number;
};

type Surroundings = {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly subjects: Subjects;
  readonly anyHost: () => ApiHost | undefined;
};

const AGAIN_MS = 4_000;
/** Longer than a ledger waits for an answer. */
const LATE_MS = 11_000;
const LOGGER = { info: () => {}, error: () => {} };

/** Clients that send a call with an Idempotency-Key until it is answered, through whichever process there is, and once more. */
export class OrderingClients {
  readonly orders: Order[] = [];
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  order(payer: Payer): void {
    const order: Order = { key: `order-${this.orders.length}`, payer, callIds: [], answers: [], worked: 0 };
    this.orders.push(order);
    this.#send(order);
    if (this.#around.random.chance(0.5)) this.#send(order);
  }

  #send(order: Order): void {
    const { time, random, anyHost } = this.#around;
    const host = anyHost();
    let isAnswered = false;
    host?.run(() => {
      const onAnswer = (answer: number): void => {
        if (!host.actor.isAlive) return;
        isAnswered = true;
        order.answers.push(answer);
        if (random.chance(0.3)) this.#send(order);
      };
      this.#charge(order, host).then(onAnswer, () => {});
    });
    const again = (): void => {
      if (!isAnswered && order.answers.length === 0) this.#send(order);
    };
    time.after(AGAIN_MS, again, null);
  }

  async #charge(order: Order, host: ApiHost): Promise<number> {
    const { subjects, time, random } = this.#around;
    const submit = async (by: Payer, command: LedgerCommand) => {
      if (command.type === 'ReserveCall') order.callIds.push(command.callId);
      const answer = await host.ledger.submit(by, command);
      // By chance a line is hardly ever cut just here, where another process hands the answer out meanwhile.
      if (command.type !== 'PostCall' || !random.chance(0.1)) return answer;
      await time.sleep(LATE_MS);
      throw new LedgerUnavailableError();
    };
    const idempotency = await host.idempotency;
    const chargeCall: ChargeCall = subjects.createChargeCall({
      ledger: { submit },
      clock: host,
      logger: LOGGER,
      idempotency,
    });
    const work = async (): Promise<WorkDone<number>> => {
      order.worked += 1;
      const answer = order.worked;
      await time.sleep(random.between(0, 6_000));
      if (random.chance(0.1)) throw new Error('the work failed');
      return { answer, free: null };
    };
    const once = { key: order.key, path: '/', body: () => null };
    const accountId = order.payer.slice('account:'.length);
    return chargeCall({ caller: { kind: 'account', accountId, keyId: 'key', once }, tariff: 'follow' }, work);
  }
}

/** One answer, charged once; its client asks for as long as it has none. `endings`: the last word on each call. */
export const findOrderProblems = (
  orders: readonly Order[],
  endings: ReadonlyMap<string, LedgerEvent['type']>,
): string[] =>
  orders.flatMap(({ key, callIds, answers }) => {
    const charged = callIds.filter((callId) => endings.get(callId) === 'CallPosted').length;
    const found: string[] = [];
    if (charged > 1) found.push(`${key} was charged ${charged} times`);
    if (charged === 0 && answers.length > 0) found.push(`${key} was answered and not charged`);
    if (charged > 0 && answers.length === 0) found.push(`${key} was charged and never answered`);
    if (new Set(answers).size > 1) found.push(`${key} was answered in different ways`);
    return found;
  });
