import { setTimeout as sleep } from 'node:timers/promises';
import { LABEL_TOPIC, openLabelEvents } from '../../events/label-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { assertDepositLabels } from '../../warehouse/derive/deposit-labels.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { LABEL_GROUP } from '../sink/start-labels.ts';
import { untilTransfersStored } from '../sink/until-transfers-stored.ts';
import type { Store } from '../store/open-store.ts';
import { type DerivedChains, deriveStore, readLanes } from './derive-store.ts';

export type RunningDerivation = {
  /** Whether the last try failed; it is tried again. */
  isFailing(): boolean;
  /** Leaves a statement that is under way to the engine: the next run does it again. */
  stop(): Promise<void>;
};

/** Facts need not be younger than that; and questions come first: of five seconds a derivation may take one. */
const PACE = { everyMs: 15_000, restPerWork: 4 };

/**
 * Keeps the derived tables as far as the others are settled, for as long as it runs. Begins when the tables hold what the
 * log held at the start: what follows from half of the past would be asserted, and then revoked again.
 */
export const startDerivation = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  chains: DerivedChains;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'derived' | 'retried'>;
  pace?: typeof PACE;
}): RunningDerivation => {
  const { store, warehouse, chains, clock, logger, metrics, pace = PACE } = request;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  /** Up to where labels were compared with what was derived, by partition of the log; null: everything has to be. */
  let compared: ReadonlyMap<number, number> | null = null;

  const onRestart = (restarted: { derivation: string }): void =>
    logger.info(restarted, 'lists or rules changed; facts are derived again from the first event');
  const bringUp = async (): Promise<void> => {
    const { writer } = warehouse;
    const before = compared;
    // Wherever it fails: which addresses this run judged is not known to the next one.
    compared = null;
    // From half of the labels, in tables that are filled again, follow other exchanges.
    const wereStored = await areLabelsStored();
    await deriveStore({ store, writer, chains, signal, onDone: metrics.derived, onRestart });
    // What was said before must be in the tables, to be compared with: else it is said twice.
    if (wereStored && (await areLabelsStored())) compared = await sayDepositAddresses(before);
    isFailing = false;
  };
  const areLabelsStored = async (): Promise<boolean> =>
    (await readLag(store.log, LABEL_GROUP, [LABEL_TOPIC])) === 0;
  const sayDepositAddresses = async (before: typeof compared): Promise<typeof compared> => {
    const lanes = await readLanes(store, [LABEL_GROUP]);
    const labels = await openLabelEvents(store.registry);
    const said = await assertDepositLabels(warehouse.writer, {
      labels,
      append: (records) => store.log.append(records),
      nowUnixSeconds: Math.floor(clock.nowUnixMs() / 1_000),
      since: before && lanes.map((each) => ({ ...each, begin: before.get(each.lane) ?? 0 })),
      signal,
    });
    if (said.asserted + said.revoked > 0) logger.info(said, 'labels of deposit addresses changed');
    return new Map(lanes.map(({ lane, end }) => [lane, end]));
  };
  const onWait = (err: unknown, waitMs: number): void => {
    isFailing = true;
    metrics.retried('derive');
    logger.warn({ err, waitMs }, 'deriving facts failed; trying again');
  };
  const run = async (): Promise<never> => {
    await retryForever(() => untilTransfersStored(store, signal), { signal, onWait });
    for (;;) {
      const beganMs = performance.now();
      await retryForever(bringUp, { signal, onWait });
      const tookMs = performance.now() - beganMs;
      await sleep(Math.max(pace.everyMs, pace.restPerWork * tookMs), undefined, { signal });
    }
  };
  // It ends with the signal only: every failure is tried again.
  const ended = run().catch(() => {});
  return {
    isFailing: () => isFailing,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};
