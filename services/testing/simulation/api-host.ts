import { startIdempotencyKeys } from '../../accounts/idempotency-keys.ts';
import type { Idempotency } from '../../api/paid/bind-call.ts';
import { type ChargeDependencies, type ChargePayment, createChargeCall } from '../../api/paid/charge-call.ts';
import { createChargePayment } from '../../api/paid/charge-payment.ts';
import { startLedger } from '../../credits/ledger.ts';
import type { Random } from '../../demo-world/random.ts';
import { createAnswers } from '../../payments/book/answers.ts';
import { PaymentsUnavailableError } from '../../payments/book/payment-book.ts';
import { createPayments, type Payments } from '../../payments/take-payment.ts';
import { type EventLog, LogError } from '../../platform/event-log/event-log.ts';
import { Network } from './network.ts';
import type { Codecs } from './open-codecs.ts';
import { openPayments } from './open-payments.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import { type Broker, connectLog } from './simulated-log.ts';
import type { Actor, VirtualTime } from './virtual-time.ts';

/** The code under test; a test of the simulation itself puts something broken in its place. */
export type Subjects = {
  readonly startLedger: typeof startLedger;
  readonly createChargeCall: (dependencies: ChargeDependencies) => ReturnType<typeof createChargeCall>;
  readonly createPayments: typeof createPayments;
};
export const REAL: Subjects = { startLedger, createChargeCall, createPayments };

export type Surroundings = {
  readonly time: VirtualTime;
  readonly broker: Broker;
  readonly chain: SimulatedChain;
  readonly codecs: Codecs;
  readonly subjects: Subjects;
  /** What no fault explains. */
  readonly onBug: (error: unknown) => void;
};

const SKEW_MS = 5_000;

const START_AGAIN_MS = 1_000;

/** One life of an API process: the real ledger, charging and payments, on a log behind a network. */
export class ApiHost {
  readonly actor: Actor;
  readonly networks: Readonly<Record<'log' | 'facilitator' | 'node', Network>>;
  readonly ledger: ReturnType<typeof startLedger>;
  endedMs: number | null = null;
  readonly #around: Surroundings;
  readonly #random: Random;
  readonly #payments: Promise<Payments>;
  readonly idempotency: Promise<Idempotency>;
  /** How far the machine's clock is from the true time. */
  #skewMs: number;

  constructor(name: string, random: Random, around: Surroundings) {
    const { time, broker, codecs, subjects } = around;
    this.#around = around;
    this.#random = random;
    this.#skewMs = random.between(-SKEW_MS, SKEW_MS);
    this.actor = { name, isAlive: true, asleepUntilMs: 0 };
    const connect = () => new Network(time, this.actor, random);
    this.networks = { log: connect(), facilitator: connect(), node: connect() };
    const log = connectLog(broker, this.networks.log, time);
    const { ledger: codec } = codecs;
    this.ledger = time.runAs(this.actor, () =>
      subjects.startLedger({ log, codec, clock: this, snapshot: null, onError: this.#report }),
    );
    this.#payments = time.runAs(this.actor, () => this.#openPayments(log));
    this.idempotency = time.runAs(this.actor, () => this.#openIdempotency(log));
  }

  readonly #report = (error: unknown): void => {
    const isFault = error instanceof LogError || error instanceof PaymentsUnavailableError;
    if (!isFault) this.#around.onBug(error);
  };

  /** Where that fails a process ends and is started again. */
  async #insist<T>(open: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await open();
      } catch (error) {
        this.#report(error);
        await this.#around.time.sleep(START_AGAIN_MS);
      }
    }
  }

  #openPayments(log: EventLog): Promise<Payments> {
    const { chain, codecs, subjects } = this.#around;
    const shared = { log, chain, networks: this.networks, clock: this, onError: this.#report };
    return this.#insist(() =>
      openPayments({ ...shared, create: subjects.createPayments, codec: codecs.payments }),
    );
  }

  async #openIdempotency(log: EventLog): Promise<Idempotency> {
    const codec = this.#around.codecs.idempotency;
    const shared = { log, codec, clock: this, onError: this.#report };
    return { keys: await this.#insist(() => startIdempotencyKeys(shared)), answers: createAnswers(log) };
  }

  /** A call that is paid for by itself, as the API takes it. */
  async takePayment(...[call, work]: Parameters<ChargePayment>): Promise<unknown> {
    const logger = { info: () => {}, error: () => {} };
    const payments = await this.#payments;
    return createChargePayment({ payments, ledger: this.ledger, clock: this, logger })(call, work);
  }

  nowUnixMs(): number {
    return this.#around.time.nowMs + this.#skewMs;
  }

  /** Does something in this process, as soon as it is awake. */
  run(action: () => void): void {
    this.#around.time.after(0, action, this.actor);
  }

  suffer(fault: 'sleep' | 'clock', lastsMs: number): void {
    if (fault === 'sleep') this.actor.asleepUntilMs = this.#around.time.nowMs + lastsMs;
    else this.#skewMs = this.#random.between(-SKEW_MS, SKEW_MS);
  }

  /** Whether something kept it from the log, for however long. */
  get hasSuffered(): boolean {
    return this.networks.log.hasSuffered || this.actor.asleepUntilMs > 0 || this.endedMs !== null;
  }

  heal(): void {
    for (const network of Object.values(this.networks)) network.heal();
  }

  /** Everything in it stops where it is. */
  crash(): void {
    this.actor.isAlive = false;
    this.endedMs ??= this.#around.time.nowMs;
  }

  async stop(): Promise<void> {
    await this.#around.time.runAs(this.actor, () => this.ledger.stop());
    this.crash();
  }
}
