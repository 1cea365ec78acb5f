import { encodePaymentSignatureHeader } from '@x402/core/http';
import { ApiError } from '../../api/errors.ts';
import type { WorkDone } from '../../api/paid/charge-call.ts';
import type { Random } from '../../demo-world/random.ts';
import { readPayment } from '../../payments/offer/read-payment.ts';
import type { ApiHost } from './api-host.ts';
import { TERMS } from './open-payments.ts';
import type { SimulatedChain } from './simulated-chain.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One signed payment, sent perhaps several times, and what became of it in the eyes of its client. */
export type SimulatedPayment = {
  readonly key: string;
  readonly nonce: string;
  readonly payer: string;
  readonly header: string;
  /** What the work for it comes to. */
  readonly work: 'done' | 'free' | 'failed';
  readonly grants: Grant[];
  /** How many times work for it was done to its end. */
  worked: number;
};

/** An answer that the payment brought. */
type Grant = {
  readonly request: string;
  readonly isPaid: boolean;
  /** Which piece of work it came from. */
  readonly answer: unknown;
  readonly host: ApiHost;
  /** It was sent long after the payment had brought its answer, by whoever read it on chain. */
  readonly isReplay: boolean;
};

type Surroundings = {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly chain: SimulatedChain;
  readonly anyHost: () => ApiHost | undefined;
};

const WALLETS = 3;
const LIFETIME_SECONDS = 300;
const GIVES_UP_MS = 40_000;
const TRIES = 4;
const CHEATS = 0.1;
const CUTS = 0.1;
const REPLAYS = 0.3;
/** Longer than an answer may be on its way, and than it takes to hear that it has arrived. */
const REPLAYED_AFTER_MS = 20_000;

/** Clients that pay per call: patient ones, impatient ones, and some that try to have two calls for one payment. */
export class PayingClients {
  readonly payments: SimulatedPayment[] = [];
  readonly #around: Surroundings;
  #works = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    around.chain.poor.add(walletAt(0));
  }

  pay(): void {
    const { random } = this.#around;
    const payment = this.#sign();
    const request = `${random.below(3)}`;
    this.#send(payment, request, TRIES);
    // The same once more at the same time; or for something else.
    if (random.chance(0.3)) this.#send(payment, request, 1);
    if (random.chance(0.2)) this.#send(payment, 'other', 1);
  }

  #sign(): SimulatedPayment {
    const { random, time, chain } = this.#around;
    const payer = walletAt(random.below(WALLETS));
    const nonce = `0x${String(this.payments.length).padStart(64, '0')}`;
    const nowSeconds = Math.floor(time.nowMs / 1_000);
    const authorization = {
      from: payer,
      to: TERMS.payTo,
      value: TERMS.amount,
      validAfter: '0',
      validBefore: String(nowSeconds + LIFETIME_SECONDS),
      nonce,
    };
    const signature = `0x${'11'.repeat(65)}`;
    const payload = { x402Version: 2, accepted: TERMS, payload: { signature, authorization } };
    const header = encodePaymentSignatureHeader(payload);
    const { key } = readPayment(header, time.nowMs);
    const work = random.pick(['done', 'done', 'done', 'free', 'failed'] as const);
    const payment: SimulatedPayment = {
      key,
      nonce,
      payer,
      header,
      work,
      grants: [],
      worked: 0,
    };
    // Some sign another authorisation with the same nonce, and put that on chain.
    const cheat = (): void => chain.transfer(nonce, payer, '0');
    if (random.chance(CHEATS)) time.after(random.between(0, GIVES_UP_MS), cheat, null);
    this.payments.push(payment);
    return payment;
  }

  /** Sends it, and the same again where nobody answers or nobody knows yet. */
  #send(payment: SimulatedPayment, request: string, tries: number, isReplay = false): void {
    const { time, random, anyHost } = this.#around;
    const host = anyHost();
    let isOver = false;
    const patienceMs = random.between(GIVES_UP_MS / 2, GIVES_UP_MS);
    const again = (): void => {
      if (!isOver && tries > 1) this.#send(payment, request, tries - 1);
    };
    time.after(patienceMs, again, null);
    if (host === undefined) return;
    let isPaid = false;
    let hasAnswer = (): void => {};
    const setHeader = (name: string): void => {
      if (name === 'PAYMENT-RESPONSE') isPaid = true;
    };
    const body = { address: request };
    const exchange = {
      from: payment.header,
      sent: payment.header,
      path: '/follow',
      url: 'https://sim',
      body: () => body,
      setHeader,
      keepWorking: () => {},
      onSent: (hear: () => void): void => {
        hasAnswer = hear;
      },
    };
    const isCut = random.chance(CUTS);
    const end = (outcome: () => void) => (): void => {
      if (!host.actor.isAlive || isCut) return;
      isOver = true;
      outcome();
    };
    host.run(() => {
      const onAnswer = (answer: unknown): void => {
        payment.grants.push({ request, isPaid, answer, host, isReplay });
        hasAnswer();
        const replay = (): void => this.#send(payment, request, 1, true);
        if (isPaid && random.chance(REPLAYS)) time.after(REPLAYED_AFTER_MS, replay, null);
      };
      host
        .takePayment({ exchange, tariff: 'follow' }, () => this.#work(payment))
        .then(
          (answer) => end(() => onAnswer(answer))(),
          (error: unknown) => {
            const isOpen = error instanceof ApiError && /unknown|unavailable/.test(error.code);
            if (!isOpen) end(() => {})();
          },
        );
    });
  }

  async #work(payment: SimulatedPayment): Promise<WorkDone<number>> {
    const { time, random } = this.#around;
    this.#works += 1;
    const answer = this.#works;
    await time.sleep(random.between(0, 10_000));
    if (payment.work === 'failed') throw new Error('the work failed');
    if (payment.work === 'free') return { answer, free: 'no_data' };
    payment.worked += 1;
    return { answer, free: null };
  }
}

const walletAt = (index: number): string => `0x${String(index + 1).repeat(40)}`;
