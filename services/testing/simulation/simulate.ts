import type { WorkDone } from '../../api/paid/charge-call.ts';
import type { LedgerCommand } from '../../credits/decider/commands.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { TARIFF_NAMES } from '../../credits/decider/tariffs.ts';
import { createRandom, type Random } from '../../demo-world/random.ts';
import { ApiHost, REAL, type Subjects, type Surroundings } from './api-host.ts';
import { findPaymentProblems } from './find-payment-problems.ts';
import { findProblems, type SimulatedCall, type SimulatedPurchase } from './find-problems.ts';
import type { Codecs } from './open-codecs.ts';
import { OrderingClients } from './ordering-clients.ts';
import { PayingClients } from './paying-clients.ts';
import { SimulatedChain } from './simulated-chain.ts';
import { Broker } from './simulated-log.ts';
import { VirtualTime } from './virtual-time.ts';

export type SimulationResult = {
  readonly seed: number;
  /** Empty where every promise was kept. */
  readonly problems: readonly string[];
  readonly commands: number;
  readonly crashes: number;
  /** Tells histories apart: a digest of every record in the log, with its time. */
  readonly trace: string;
};

export type SimulationOptions = {
  readonly codecs: Codecs;
  readonly subjects?: Subjects;
  readonly fences?: boolean;
};

const START_MS = Date.UTC(2026, 0, 31, 23, 59, 30);
const HOSTS = 3;
/** Calls come and things break. */
const BUSY_MS = 40_000;
/** Then everything works again. Most histories are at rest soon; the others get longer than any reservation lasts, and
 * then longer than any payment is good for. */
const CALM_MS = [15_000, 45_000, 90_000, 400_000];
const PLAN_PAYER = 'account:plan';
const PACK_PAYER = 'account:pack';
const PAYERS: readonly Payer[] = [PLAN_PAYER, PACK_PAYER];
const SENT_AGAIN_MS = 15_000;
const FAULTS = ['crash', 'stop', 'outage', 'network', 'sleep', 'clock'] as const;
const NETWORK_FAULTS = ['cut', 'deaf', 'loss', 'echo', 'slow'] as const;
/** The log more often: everything rests on it. */
const PLACES = ['log', 'log', 'facilitator', 'node'] as const;
const FAULT_WEIGHTS = [3, 1, 1, 8, 2, 1];

/** One history of API processes that share a ledger, decided by its seed alone. */
export const simulate = async (seed: number, options: SimulationOptions): Promise<SimulationResult> => {
  const time = new VirtualTime(START_MS);
  const restore = time.install();
  try {
    return await new Simulation(seed, time, options).run();
  } finally {
    restore();
  }
};

class Simulation {
  readonly calls: SimulatedCall[] = [];
  readonly purchases: SimulatedPurchase[] = [];
  readonly problems: string[] = [];
  commands = 0;
  crashes = 0;
  readonly #seed: number;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #leaving: Random;
  readonly #around: Surroundings;
  readonly #hosts: ApiHost[] = [];
  readonly #clients: PayingClients;
  readonly #ordering: OrderingClients;

  constructor(
    seed: number,
    time: VirtualTime,
    { codecs, subjects = REAL, fences = true }: SimulationOptions,
  ) {
    this.#seed = seed;
    this.#time = time;
    this.#random = createRandom(seed);
    this.#leaving = this.#random.fork('leaving');
    const onBug = (error: unknown): void => void this.problems.push(`a bug: ${String(error)}`);
    const chain = new SimulatedChain(time, this.#random.fork('chain'));
    this.#around = { time, broker: new Broker(time, { fences }), chain, codecs, subjects, onBug };
    const anyHost = () => this.#anyHost();
    this.#clients = new PayingClients({ time, random: this.#random.fork('clients'), chain, anyHost });
    this.#ordering = new OrderingClients({ time, random: this.#random.fork('orders'), subjects, anyHost });
  }

  async run(): Promise<SimulationResult> {
    for (let slot = 0; slot < HOSTS; slot++) this.#start(slot);
    const plan = {
      type: 'ChangePlan',
      id: 'plan',
      plan: 'free',
      cycle: 'monthly',
      paidUntilUnixMs: null,
    } as const;
    this.#insist(PLAN_PAYER, plan);
    this.#scatter(this.#random.between(1, 6), () => this.#buy());
    this.#scatter(this.#random.between(10, 40), () => this.#call());
    this.#scatter(this.#random.between(0, 12), () => this.#clients.pay());
    this.#scatter(this.#random.between(0, 8), () => this.#ordering.order(this.#random.pick(PAYERS)));
    this.#scatter(this.#random.between(0, 6), () => this.#break());
    await this.#time.drive(this.#time.sleep(BUSY_MS));
    this.#heal();
    let found = ['not looked at'];
    for (const calmMs of CALM_MS) {
      if (found.length === 0) break;
      await this.#time.drive(this.#time.sleep(calmMs));
      found = await this.#time.drive(this.#look());
    }
    const problems = [...new Set([...this.problems, ...found])];
    const trace = this.#around.broker.digest();
    return { seed: this.#seed, problems, commands: this.commands, crashes: this.crashes, trace };
  }

  async #look(): Promise<string[]> {
    const { codecs, broker, chain, time } = this.#around;
    const found = await findProblems({
      ...this,
      orders: this.#ordering.orders,
      hosts: this.#hosts,
      codec: codecs.ledger,
      broker,
      nowMs: time.nowMs,
    });
    const { payments } = this.#clients;
    const paid = findPaymentProblems({ payments, chain, broker, codec: codecs.payments });
    return [...found, ...paid];
  }

  #scatter(count: number, action: () => void): void {
    for (let i = 0; i < count; i++) this.#time.after(this.#random.between(0, BUSY_MS), action);
  }

  #start(slot: number): void {
    const host = new ApiHost(`api-${slot}`, this.#random.fork(`${slot} ${this.#time.nowMs}`), this.#around);
    this.#hosts[slot] = host;
  }

  #anyHost(): ApiHost | undefined {
    const alive = this.#hosts.filter((host) => host.actor.isAlive);
    return alive.length === 0 ? undefined : this.#random.pick(alive);
  }

  #call(): void {
    const host = this.#anyHost();
    if (host === undefined) return;
    const work = this.#random.pick(['done', 'done', 'done', 'free', 'failed'] as const);
    const payer = this.#random.pick(PAYERS);
    const tariff = this.#random.pick(TARIFF_NAMES);
    const call: SimulatedCall = {
      payer,
      tariff,
      host,
      work,
      leavesMs: this.#leaving.chance(0.2)
        ? this.#time.nowMs + this.#leaving.between(0, 10_000)
        : Number.POSITIVE_INFINITY,
      callId: null,
      outcome: 'pending',
      endedMs: null,
      isConceded: false,
    };
    this.calls.push(call);
    // Most are done soon; some take longer than their reservation lasts.
    const workMs = this.#random.chance(0.01) ? 125_000 : this.#random.between(0, 10_000);
    const end = (outcome: SimulatedCall['outcome']) => (): void => {
      if (!host.actor.isAlive) return;
      call.outcome = outcome;
      call.endedMs = this.#time.nowMs;
    };
    host.run(() => {
      this.#charge(call, () => this.#work(call, workMs)).then(end('answered'), end('refused'));
    });
  }

  #charge(call: SimulatedCall, work: () => Promise<WorkDone<null>>): Promise<null> {
    const { host, payer, tariff } = call;
    const submit = (by: Payer, command: LedgerCommand) => {
      if (command.type === 'ReserveCall') call.callId = command.callId;
      this.commands += 1;
      return host.ledger.submit(by, command);
    };
    const logger = {
      info: () => {},
      error: () => {
        call.isConceded = true;
      },
    };
    const chargeCall = this.#around.subjects.createChargeCall({
      ledger: { submit },
      clock: host,
      logger,
    });
    const accountId = payer.slice('account:'.length);
    const isGone = async (): Promise<boolean> => this.#time.nowMs >= call.leavesMs;
    return chargeCall({ caller: { kind: 'account', accountId, keyId: 'key', isGone }, tariff }, work);
  }

  async #work({ work }: SimulatedCall, workMs: number): Promise<WorkDone<null>> {
    await this.#time.sleep(workMs);
    if (work === 'failed') throw new Error('the work failed');
    return { answer: null, free: work === 'free' ? 'no_data' : null };
  }

  #buy(): void {
    const id = `pack-${this.purchases.length}`;
    const credits = this.#random.between(1, 20);
    const purchase: SimulatedPurchase = { id, isConfirmed: false };
    this.purchases.push(purchase);
    this.#insist(PACK_PAYER, { type: 'AddCredits', id, credits }, () => {
      purchase.isConfirmed = true;
    });
  }

  /** Until it is confirmed, and sometimes once more: through whichever process there is. */
  #insist(payer: Payer, command: LedgerCommand, onConfirmed: () => void = () => {}): void {
    let isOver = false;
    const host = this.#anyHost();
    const confirm = (): void => {
      if (!host?.actor.isAlive) return;
      isOver = true;
      onConfirmed();
      if (this.#random.chance(0.3)) this.#insist(payer, command);
    };
    this.commands += 1;
    host?.run(() => void host.ledger.submit(payer, command).then(confirm, () => {}));
    const again = (): void => {
      if (!isOver) this.#insist(payer, command, onConfirmed);
    };
    this.#time.after(SENT_AGAIN_MS, again, null);
  }

  #break(): void {
    const slot = this.#random.below(HOSTS);
    const host = this.#hosts[slot];
    if (!host?.actor.isAlive) return;
    const fault = FAULTS[this.#random.weighted(FAULT_WEIGHTS)] ?? 'crash';
    const lastsMs = this.#random.between(100, 15_000);
    if (fault === 'crash') this.#crash(slot, lastsMs);
    else if (fault === 'stop')
      void host.stop().then(() => this.#time.after(lastsMs, () => this.#restart(slot)));
    else if (fault === 'outage') for (const each of this.#hosts) each.networks.log.suffer('cut', lastsMs);
    else if (fault === 'network')
      host.networks[this.#random.pick(PLACES)].suffer(this.#random.pick(NETWORK_FAULTS), lastsMs);
    else host.suffer(fault, lastsMs);
  }

  #crash(slot: number, downMs: number): void {
    this.#hosts[slot]?.crash();
    this.crashes += 1;
    this.#time.after(downMs, () => this.#restart(slot));
  }

  #restart(slot: number): void {
    if (this.#hosts[slot]?.actor.isAlive === false) this.#start(slot);
  }

  #heal(): void {
    for (const [slot, host] of this.#hosts.entries()) {
      host.heal();
      this.#restart(slot);
    }
  }
}
