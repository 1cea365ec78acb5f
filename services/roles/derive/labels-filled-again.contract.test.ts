import { afterEach, expect, test } from 'vitest';
import { openLabelEvents } from '../../events/label-events.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { payment, SWEPT_TWICE } from '../../testing/derive-stage.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { createMetrics } from '../create-metrics.ts';
import { LABEL_GROUP, startLabels } from '../sink/start-labels.ts';
import { startDerivation } from './start-derivation.ts';

const stage = new SinkStage();
const running: { stop(): Promise<void> }[] = [];
const stopAll = async (): Promise<void> => {
  for (const each of running.splice(0).reverse()) await each.stop();
};
afterEach(stopAll);

const logger = createLogger({ level: 'silent' });

const startStoringLabels = () => {
  const { store, warehouse } = stage;
  const labels = startLabels({ store, warehouse, logger });
  running.push(labels);
  return labels;
};

const derive = (writer: WarehouseClient): void => {
  const pace = { everyMs: 100, percent: 100 };
  const more = { chains: [], clock: systemClock, logger, metrics: createMetrics(), pace };
  running.push(startDerivation({ store: stage.store, warehouse: { writer }, ...more }));
};

/** The real engine, that does something before the first statement that begins like this. */
const before = (beginning: string, action: () => Promise<unknown>): WarehouseClient => {
  let isDone = false;
  const get = (target: WarehouseClient, name: string | symbol): unknown => {
    if (name !== 'command') return Reflect.get(target, name);
    return async (request: Parameters<WarehouseClient['command']>[0]) => {
      if (!isDone && request.query.trim().startsWith(beginning)) {
        isDone = true;
        await action();
      }
      return target.command(request);
    };
  };
  return new Proxy(stage.warehouse.writer, { get });
};

test('no deposit label is taken back while tables that were lost are filled again, labels last', async () => {
  const { store, warehouse } = stage;
  const events = await openLabelEvents(store.registry);
  const said = async (): Promise<string[]> => {
    const types: string[] = [];
    for (const range of await store.log.ranges('labels')) {
      const records = await store.log.read({ ...range, offset: range.begin, maxBytes: 1 << 20 });
      types.push(...records.map(({ value }) => events.decode(value).type));
    }
    return types;
  };
  startStoringLabels();
  await store.log.append([
    events.assert(buildLabel({ kind: 'exchange', entity: 'alder', address: 'hot', name: 'alder 1' })),
  ]);
  await stage.append(stage.encoded(...SWEPT_TWICE.map((row, at) => payment(row, at))));
  await stage.drain();
  derive(warehouse.writer);
  await expect.poll(said, PATIENCE).toEqual(['LabelAsserted', 'LabelAsserted']);
  await stopAll();

  await stage.refill();
  await store.log.forgetGroup(LABEL_GROUP);
  // Deposit addresses have been judged then, and nobody was known to be an exchange.
  const late = before('INSERT INTO first_funders', async () => {
    const labels = startStoringLabels();
    await expect.poll(() => labels.isSettled(), PATIENCE).toBe(true);
  });
  derive(late);
  const holding = () => stage.ask('SELECT address FROM deposit_addresses FINAL WHERE holds');
  await expect.poll(holding, PATIENCE).toEqual([['box']]);
  expect(await said()).toEqual(['LabelAsserted', 'LabelAsserted']);
});
