import { type ChargeDependencies, createChargeCall } from '../../api/paid/charge-call.ts';
import { startLedger } from '../../credits/ledger.ts';
import type { LedgerCodec } from '../../credits/ledger-codec.ts';
import { LogError } from '../../platform/event-log/event-log.ts';
import type { Random } from '../world/random.ts';
import { Network } from './network.ts';
import { type Broker, connectLog } from './simulated-log.ts';
import type { Actor, VirtualTime } from './virtual-time.ts';

/** The code under test; a test of the simulation itself puts something broken in its place. */
export type Subjects = {
  readonly startLedger: typeof startLedger;
  readonly createChargeCall: (dependencies: ChargeDependencies) => ReturnType<typeof createChargeCall>;
};
export const REAL: Subjects = { startLedger, createChargeCall };

export type Surroundings = {
  readonly time: VirtualTime;
  readonly broker: Broker;
  readonly codec: LedgerCodec;
  readonly subjects: Subjects;
  /** What no fault explains. */
  readonly onBug: (error: unknown) => void;
};

const SKEW_MS = 5_000;

/** One life of an API process: the real ledger and the real charging, on a log behind a network. */
export class ApiHost {
  readonly actor: Actor;
  readonly network: Network;
  readonly ledger: ReturnType<typeof startLedger>;
  endedMs: number | null = null;
  readonly #around: Surroundings;
  /** How far the machine's clock is from the true time. */
  #skewMs: number;

  constructor(name: string, random: Random, around: Surroundings) {
    const { time, broker, codec, subjects, onBug } = around;
    this.#around = around;
    this.#skewMs = random.between(-SKEW_MS, SKEW_MS);
    this.actor = { name, isAlive: true, asleepUntilMs: 0 };
    this.network = new Network(time, this.actor, random);
    this.ledger = time.runAs(this.actor, () =>
      subjects.startLedger({
        log: connectLog(broker, this.network, time),
        codec,
        clock: this,
        snapshot: null,
        onError: (error) => {
          if (!(error instanceof LogError)) onBug(error);
        },
      }),
    );
  }

  nowUnixMs(): number {
    return this.#around.time.nowMs + this.#skewMs;
  }

  /** Does something in this process, as soon as it is awake. */
  run(action: () => void): void {
    this.#around.time.runAs(this.actor, () => this.#around.time.after(0, action));
  }

  suffer(fault: 'cut' | 'sleep' | 'loss' | 'slow' | 'clock', lastsMs: number): void {
    const { time } = this.#around;
    const { network, actor } = this;
    if (fault === 'cut') network.cutUntilMs = time.nowMs + lastsMs;
    else if (fault === 'sleep') actor.asleepUntilMs = time.nowMs + lastsMs;
    else if (fault === 'loss') network.loss = 0.2;
    else if (fault === 'slow') network.latencyMs = 1_500;
    else this.#skewMs = network.random.between(-SKEW_MS, SKEW_MS);
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
