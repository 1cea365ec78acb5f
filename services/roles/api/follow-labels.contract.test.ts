import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LabelEvent, type LabelEvents, openLabelEvents } from '../../events/label-events.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import { systemClock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { createLogger } from '../../platform/logger.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { beforeQueries } from '../../testing/before-queries.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { type HeldLabels, NOTHING_HELD } from '../../warehouse/labels/held-labels.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { startLabels } from '../sink/start-labels.ts';
import { followLabels } from './follow-labels.ts';

const logger = createLogger({ level: 'silent' });
const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const CHAINS = ['solana', 'ethereum'];
const ADDRESSES = ['ann', 'bea', "d'ot", 'eve\\', 'fay 費', '"', ''];
const ENTITIES = ['one', 'two'];
const TIMES = [null, 1_000, 2_000, 3_000];
const stage = new SinkStage();
let events: LabelEvents;
const running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  events = await openLabelEvents(stage.store.registry);
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

const follow = async ({ log = stage.store.log, bytesMax }: { log?: EventLog; bytesMax?: number } = {}) => {
  const store = { ...stage.store, log: log as typeof stage.store.log };
  const held = await followLabels({ store, logger, ...(bytesMax && { bytesMax }) });
  running.push(held);
  return held;
};

const append = async (...said: readonly LabelEvent[]): Promise<void> => {
  await stage.store.log.append(
    said.map((event) =>
      event.type === 'LabelAsserted' ? events.assert(event.label) : events.revoke(event.revocation),
    ),
  );
};
const mixer = (address: string): LabelEvent => ({
  type: 'LabelAsserted',
  label: buildLabel({ address, kind: 'mixer', name: address }),
});
const namesOf = (held: HeldLabels, ...addresses: string[]) => {
  const { rows, unheld } = held.read(['solana'], addresses);
  return { held: rows.map(([, , , name]) => name).sort(), unheld };
};

const time = fc.constantFrom(...TIMES);
const label = fc.record({
  chain: fc.constantFrom(...CHAINS),
  address: fc.constantFrom(...ADDRESSES),
  source: fc.constantFrom('list', 'ofac'),
  kind: fc.constantFrom(...LABEL_KINDS),
  name: fc.constantFrom('One', "Two's 二"),
  creator: fc.constantFrom('', 'eu'),
  entity: fc.constantFrom('', ...ENTITIES),
  confidence: fc.constantFrom(0, 0.5, 1),
  validFrom: time,
  validTo: time,
  assertedAt: fc.nat(3),
});
const said: fc.Arbitrary<LabelEvent> = fc
  .record({ label, isRevoked: fc.boolean() })
  .map((event) =>
    event.isRevoked
      ? { type: 'LabelRevoked', revocation: { ...event.label, reason: 'test', revokedAt: 4 } }
      : { type: 'LabelAsserted', label: buildLabel(event.label) },
  );

const everythingAt = async (client: WarehouseClient, held: HeldLabels, seconds: number) => {
  const reader = createTraceReader(client, { ...systemClock, nowUnixMs: () => seconds * 1_000 }, held);
  const told = CHAINS.map(async (chain) => {
    return {
      labels: await reader.labels({ chain }, ADDRESSES, limits),
      services: await reader.services({ chain }, ADDRESSES, limits),
      wallets: await reader.serviceWallets({ chain, limit: 3 }, ENTITIES, limits),
    };
  });
  return Promise.all(told);
};

test('what a process holds of labels and services is what the tables say of every time, and nobody asks them', async () => {
  const { reader } = stage.warehouse;
  const nobodyAsks = beforeQueries(reader, () => expect.unreachable('the tables were asked'));
  const sink = startLabels({ store: stage.store, warehouse: stage.warehouse, logger });
  running.push(sink);
  const early = await follow();
  const story = fc.sample(said, { numRuns: 600, seed: 7 });
  for (let from = 0; from < story.length; from += 150) {
    await append(...story.slice(from, from + 150));
    const late = await follow();
    await late.untilRead;
    await expect.poll(() => sink.isSettled(), PATIENCE).toBe(true);
    for (const seconds of [500, 1_000, 1_500, 2_500, 3_000]) {
      const told = await everythingAt(reader, NOTHING_HELD, seconds);
      expect(await everythingAt(nobodyAsks, late, seconds)).toEqual(told);
      expect(await everythingAt(nobodyAsks, early, seconds)).toEqual(told);
    }
  }
});

test('what was said is held within a second', async () => {
  const held = await follow();
  await held.untilRead;
  expect(namesOf(held, 'ann', 'bea')).toEqual({ held: [], unheld: [] });
  await append(mixer('bea'));
  await expect.poll(() => namesOf(held, 'ann', 'bea'), PATIENCE).toEqual({ held: ['bea'], unheld: [] });
});

test('an address of which something was said that cannot be read is left to the tables, and no other', async () => {
  await append(mixer('ann'), mixer('bea'));
  const value = Buffer.from([0, 0, 0, 0, 99, 1, 2, 3]);
  await stage.store.log.append([{ topic: 'labels', key: 'solana:bea', value }]);
  const held = await follow();
  await held.untilRead;
  expect(namesOf(held, 'ann', 'bea')).toEqual({ held: ['ann'], unheld: ['bea'] });
});

test('nothing is answered before all was read, nor while the log does not answer, nor without room for all', async () => {
  const whole = { held: ['ann'], unheld: [] };
  const nothing = { held: [], unheld: ['ann', 'bea'] };
  await append(mixer('ann'));
  const { log } = stage.store;
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isGone = false;
  const unsteady: EventLog = {
    ...log,
    consume: (request) => opened.then(() => log.consume(request)),
    ranges: async (topic) => (isGone ? Promise.reject(new Error('gone')) : log.ranges(topic)),
  };
  const held = await follow({ log: unsteady });
  expect(namesOf(held, 'ann', 'bea')).toEqual(nothing);
  open();
  await held.untilRead;
  expect(namesOf(held, 'ann', 'bea')).toEqual(whole);
  isGone = true;
  await expect.poll(() => namesOf(held, 'ann', 'bea'), PATIENCE).toEqual(nothing);
  isGone = false;
  await expect.poll(() => namesOf(held, 'ann', 'bea'), PATIENCE).toEqual(whole);

  const small = await follow({ bytesMax: 64 << 10 });
  await small.untilRead;
  expect(namesOf(small, 'ann', 'bea')).toEqual(whole);
  await append(...Array.from({ length: 2_000 }, (_, at) => mixer(`wallet-${at}`)));
  await expect.poll(() => namesOf(small, 'ann', 'bea'), PATIENCE).toEqual(nothing);
});

test('a first read that fails again and again leaves no consumer open but the one that it ends with', async () => {
  const { log } = stage.store;
  const open = new Set<object>();
  let failures = 3;
  const unsteady: EventLog = {
    ...log,
    consume: async (request) => {
      const consumer = await log.consume(request);
      open.add(consumer);
      return {
        ...consumer,
        poll: (limits) =>
          failures-- > 0 ? Promise.reject(new Error('the log went away')) : consumer.poll(limits),
        close: async () => {
          open.delete(consumer);
          await consumer.close();
        },
      };
    },
  };
  await append(mixer('ann'));
  const held = await follow({ log: unsteady });
  await held.untilRead;
  expect(failures).toBeLessThan(0);
  expect(open.size).toBe(1);
  await held.stop();
  expect(open.size).toBe(0);
});
