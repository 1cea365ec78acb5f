import { LABEL_TOPIC, openLabelEvents } from '../../events/label-events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { assertDepositLabels } from '../../warehouse/derive/deposit-labels.ts';
import { createContiguousRange } from '../../warehouse/read/blocks/contiguous-range.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import type { Metrics } from '../create-metrics.ts';
import { LABEL_GROUP } from '../sink/start-labels.ts';
import { untilTransfersStored } from '../sink/until-transfers-stored.ts';
import type { Store } from '../store/open-store.ts';
import { type DerivedChains, deriveStore, readLanes } from './derive-store.ts';
import { type Pace, takeTurns } from './take-turns.ts';

export type RunningDerivation = {
  /** Whether the last attempt failed; it is repeated. */
  isFailing(): boolean;
  /** Leaves a running statement to the engine: the next run repeats it. */
  stop(): Promise<void>;
};

/**
 * Keeps the derived tables current. Starts when the tables hold what the log held at the start, because half of
 * the past would assert facts that are revoked again later.
 */
export const startDerivation = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  chains: DerivedChains;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'derived' | 'derivedAll' | 'retried'>;
  pace: Pace;
}): RunningDerivation => {
  const { store, warehouse, chains, clock, logger, metrics, pace } = request;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  /** Up to where labels were compared, by partition; null: compare everything. */
  let compared: ReadonlyMap<number, number> | null = null;

  const onRestart = (restarted: { derivation: string }): void =>
    logger.info(restarted, 'lists or rules changed; facts are derived again from the first event');
  const readSpan = createContiguousRange(warehouse.writer, clock);
  const bringUp = async (): Promise<void> => {
    const { writer } = warehouse;
    const before = compared;
    // After any failure it is unknown which addresses this run judged.
    compared = null;
    // Incomplete labels in tables that are being refilled lead to other exchanges.
    const wereStored = await areLabelsStored();
    let hadWork = false;
    const onDone: typeof metrics.derived = (done) => {
      hadWork = true;
      metrics.derived(done);
    };
    await deriveStore({ store, writer, chains, signal, onDone, onRestart, readSpan });
    // Earlier results must be in the tables for comparison, or they would be written twice.
    if (wereStored && (await areLabelsStored())) compared = await sayDepositAddresses(before);
    metrics.derivedAll(hadWork || compared === null ? 'facts' : 'nothing');
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
    return takeTurns(bringUp, { pace, signal, onWait });
  };
  // Every failure is retried; only the signal ends it.
  const ended = run().catch(() => {});
  return {
    isFailing: () => isFailing,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};
