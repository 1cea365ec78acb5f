import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LABEL_TOPIC, type LabelEvents, openLabelEvents } from '../../events/label-events.ts';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import { EmptyListError, endMissing } from '../../labels/end-missing.ts';
import { csv } from '../../labels/formats/csv.ts';
import { importLabels } from '../../labels/import-labels.ts';
import { KnownLabels } from '../../labels/known-labels.ts';
import { systemClock } from '../../platform/clock.ts';
import { readTopic } from '../../platform/event-log/read-topic.ts';
import { createLogger } from '../../platform/logger.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { blockOf, range, SinkStage } from '../../testing/sink-stage.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';
import { loadCuratedLabels } from './load-curated-labels.ts';
import { LABEL_GROUP, type RunningLabels, startLabels } from './start-labels.ts';

const PRIVACY_CASH = '4AV2Qzp3N4c9RfzyEbNZs2wqWfW4EwKnnxFAZCndvfGh';
const stage = new SinkStage();
let events: LabelEvents;
const running: RunningLabels[] = [];

beforeEach(async () => {
  events = await openLabelEvents(stage.store.registry);
});
afterEach(async () => {
  for (const labels of running.splice(0)) await labels.stop();
});

const start = ({ writer }: { writer: WarehouseClient } = stage.warehouse): RunningLabels => {
  const logger = createLogger({ level: 'silent' });
  const labels = startLabels({ store: stage.store, warehouse: { writer }, logger });
  running.push(labels);
  return labels;
};

const settle = async (labels = start()): Promise<void> => {
  await expect.poll(() => labels.isSettled(), PATIENCE).toBe(true);
};

const assertLabels = async (...labels: AssertedLabel[]): Promise<void> => {
  await stage.store.log.append(labels.map(events.assert));
};

const revoke = async ({ chain, address, source, kind, name, validFrom }: AssertedLabel): Promise<void> => {
  const identity = { chain, address, source, kind, name, validFrom };
  await stage.store.log.append([events.revoke({ ...identity, reason: 'test', revokedAt: 1_700_000_001 })]);
};

const shown = async (...addresses: string[]) => {
  const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
  const reader = createTransferReader(stage.warehouse.reader);
  const labels = await reader.labels({ chain: 'solana' }, addresses, limits);
  return Object.fromEntries(addresses.flatMap((address, at) => (labels[at] ? [[address, labels[at]]] : [])));
};

const COLUMNS =
  'chain, direction, asset_family, amount, block_number, tx_index, index, address, counterparty';

/** What the tables hold of services is what their wallets moved, each row once. */
const expectServices = async (services: Readonly<Record<string, string>>): Promise<void> => {
  const expected: string[] = [];
  for (const [address, entity] of Object.entries(services)) {
    const rows = await stage.ask(`SELECT ${COLUMNS} FROM account_entries WHERE address = '${address}'`);
    expected.push(...rows.map((row) => [entity, ...row].join(' ')));
  }
  const rows = await stage.ask(`SELECT entity, ${COLUMNS} FROM service_entries FINAL`);
  expect(rows.map((row) => row.join(' ')).sort()).toEqual(expected.sort());
  const wallets = await stage.ask('SELECT address, entity FROM service_wallets FINAL ORDER BY address');
  expect(Object.fromEntries(wallets)).toEqual(services);
};

const exchange = (address: string, entity: string, more: Partial<AssertedLabel> = {}): AssertedLabel =>
  buildLabel({ address, kind: 'exchange', entity, name: `${entity} hot`, ...more });

test('a label is shown once it is in the log, changes with what is said later, and goes when it is revoked', async () => {
  const labels = start();
  const alder = exchange('wallet-1', 'alder');
  await assertLabels(alder, buildLabel({ address: 'wallet-2', kind: 'bridge', name: 'Old Bridge' }));
  await settle(labels);
  expect(await shown('wallet-1', 'wallet-2', 'wallet-3')).toEqual({
    'wallet-1': { name: 'alder hot', kind: 'exchange' },
    'wallet-2': { name: 'Old Bridge', kind: 'bridge' },
  });
  await assertLabels({ ...alder, validTo: 1_700_000_100 });
  await settle(labels);
  expect(await shown('wallet-1')).toEqual({});
  await assertLabels(alder);
  await settle(labels);
  expect(await shown('wallet-1')).toEqual({ 'wallet-1': { name: 'alder hot', kind: 'exchange' } });
  await revoke(alder);
  await settle(labels);
  expect(await shown('wallet-1')).toEqual({});
});

test('a new service gets the entries that were there before it', async () => {
  await stage.append(stage.encoded(...range(1, 20)));
  await stage.drain();
  await assertLabels(exchange('wallet-1', 'alder'), exchange('wallet-0', 'alder'));
  await settle();
  await expectServices({ 'wallet-0': 'alder', 'wallet-1': 'alder' });
  expect(await stage.ask('SELECT count() >= 100 FROM service_entries FINAL')).toEqual([[1]]);
});

test('a service that is named while blocks arrive has every entry once', async () => {
  const sink = stage.sink({ batchBytesMax: 4_096 });
  const labels = start();
  for (let round = 0; round < 12; round += 1) {
    await stage.append(stage.encoded(...range(1 + round * 10, 10)), round % 3);
    if (round === 3) await assertLabels(exchange('wallet-1', 'alder'));
    if (round === 6) await assertLabels(exchange('wallet-2', 'birch'), exchange('wallet-0', 'alder'));
    if (round === 8) await assertLabels(exchange('wallet-1', 'cedar', { confidence: 0.9 }));
  }
  await stage.untilStored(sink);
  await settle(labels);
  await expectServices({ 'wallet-0': 'alder', 'wallet-1': 'cedar', 'wallet-2': 'birch' });
});

/** The real engine, of which one answer is lost: the first about the wallets of services that is `about` this. */
const losing = (method: 'insert' | 'query', about: string): { writer: WarehouseClient } => {
  let isLost = false;
  const { writer } = stage.warehouse;
  const get = (target: WarehouseClient, name: string | symbol): unknown => {
    if (name !== method) return Reflect.get(target, name);
    const send = target[method].bind(target) as (request: unknown) => Promise<unknown>;
    return async (request: unknown) => {
      const answer = await send(request);
      const asked = JSON.stringify(request);
      if (isLost || !asked.includes('service_wallets') || !asked.includes(about)) return answer;
      isLost = true;
      throw new Error('the connection was lost');
    };
  };
  return { writer: new Proxy(writer, { get }) };
};

test.each([
  { lost: 'that it joined', method: 'insert', about: 'wallet-1' },
  { lost: 'to the question whose wallet it was', method: 'query', about: 'wallet-1' },
] as const)('a new service gets its entries though the answer is lost $lost', async ({ method, about }) => {
  await stage.append(stage.encoded(...range(1, 5)));
  await stage.drain();
  const labels = start(losing(method, about));
  // Its first look, at what an earlier run left, is over.
  await settle(labels);
  await assertLabels(exchange('wallet-1', 'alder'));
  await settle(labels);
  await expectServices({ 'wallet-1': 'alder' });
});

test('an address that is a service no more leaves no entries, and gets them again when it is one again', async () => {
  await stage.append(stage.encoded(...range(1, 5)));
  await stage.drain();
  const alder = exchange('wallet-1', 'alder');
  await assertLabels(alder);
  await settle();
  await revoke(alder);
  await settle(running[0]);
  await expectServices({});
  await stage.append(stage.encoded(blockOf(6)));
  await stage.drain();
  await expectServices({});
  await assertLabels(alder);
  await settle(running[0]);
  await expectServices({ 'wallet-1': 'alder' });
});

test('entries wait for the blocks that were in the log before the service was named', async () => {
  await stage.append(stage.encoded(...range(1, 5)));
  await assertLabels(exchange('wallet-1', 'alder'));
  const labels = start();
  await expect.poll(() => shown('wallet-1'), PATIENCE).toHaveProperty('wallet-1');
  expect(await labels.isSettled()).toBe(false);
  await stage.drain();
  await settle(labels);
  await expectServices({ 'wallet-1': 'alder' });
});

test('reading all events again from the first changes nothing', async () => {
  await stage.append(stage.encoded(...range(1, 5)));
  await stage.drain();
  const alder = exchange('wallet-1', 'alder');
  await assertLabels(alder, exchange('wallet-2', 'birch'), buildLabel({ address: 'wallet-3', kind: 'dex' }));
  await settle();
  await revoke(alder);
  await settle(running[0]);
  const before = await shown('wallet-1', 'wallet-2', 'wallet-3');
  await running.pop()?.stop();
  await stage.store.log.forgetGroup(LABEL_GROUP);
  await settle();
  expect(await shown('wallet-1', 'wallet-2', 'wallet-3')).toEqual(before);
  await expectServices({ 'wallet-2': 'birch' });
});

test('what ships is said once, what ships no more is revoked, and what others say stays', async () => {
  const old = exchange('wallet-1', 'alder', { source: 'curated' });
  const others = exchange('wallet-2', 'birch', { source: 'somebody' });
  await assertLabels(old, others);
  const { store } = stage;
  const load = () => loadCuratedLabels(store, systemClock, new AbortController().signal);
  expect(await load()).toBeGreaterThan(500);
  expect(await load()).toBe(0);
  await settle();
  expect(await shown('wallet-1', 'wallet-2', PRIVACY_CASH)).toEqual({
    'wallet-2': { name: 'birch hot', kind: 'exchange' },
    [PRIVACY_CASH]: { name: 'Privacy Cash', kind: 'mixer' },
  });
});

test('what shipped with an end and ships without one holds since its begin, from the first start on', async () => {
  const { store } = stage;
  const load = () => loadCuratedLabels(store, systemClock, new AbortController().signal);
  await load();
  const { label } = await findShipped(PRIVACY_CASH);
  await assertLabels({ ...label, validTo: 1_700_000_100 });
  await settle();
  expect(await shown(PRIVACY_CASH)).toEqual({});
  expect(await load()).toBe(1);
  expect(await load()).toBe(0);
  await settle(running[0]);
  expect(await shown(PRIVACY_CASH)).toHaveProperty(PRIVACY_CASH);
  const held = `SELECT valid_from, valid_to FROM labels FINAL WHERE address = '${PRIVACY_CASH}'`;
  expect(await stage.ask(held)).toEqual([[String(label.validFrom ?? 0), '0']]);
});

const findShipped = async (address: string): Promise<{ readonly label: AssertedLabel }> => {
  for await (const records of readTopic(stage.store.log, LABEL_TOPIC))
    for (const { value } of records) {
      const event = events.decode(value);
      if (event.type === 'LabelAsserted' && event.label.address === address) return event;
    }
  throw new Error(`${address} does not ship`);
};

/** An authority's whole list at a time, as it is imported: `wallet name` a line. */
const importWhole = async (nowUnixSeconds: number, ...lines: string[]): Promise<number> => {
  const { log } = stage.store;
  const rows = lines.map((line) => line.split(' ')).map(([at, name]) => `${wallet(at)},ethereum,${name}`);
  const open = () => Readable.from([`address,chain,name\n${rows.join('\n')}`]);
  const options = { kind: 'sanctioned', source: 'authority' } as const;
  const file = { path: 'list.csv', options, open, text: () => expect.unreachable() };
  const known = await KnownLabels.read(log, events, 'authority');
  const target = { log, labels: events };
  const told = { taken: () => {}, refused: () => expect.unreachable() };
  const { signal } = new AbortController();
  const said = await importLabels({ format: csv, file, known, target, nowUnixSeconds, events: told }, signal);
  return (await endMissing({ known, said, source: 'authority', target, nowUnixSeconds })).ended;
};
const wallet = (at = ''): string => `0x${at.repeat(40)}`;

test('what a whole list names no more has ended, its past is kept, and another name is no end', async () => {
  const at = 1_700_000_000;
  expect(await importWhole(at, 'a Lifted', 'b Renamed', 'c Stays')).toBe(0);
  expect(await importWhole(at + 100, 'b Renamed2', 'c Stays')).toBe(2);
  expect(await importWhole(at + 200, 'b Renamed2', 'c Stays')).toBe(0);
  await expect(importWhole(at + 300)).rejects.toThrow(EmptyListError);
  await settle();
  expect(await namesAt(at + 50)).toEqual(['Lifted', 'Renamed2', 'Stays']);
  expect(await namesAt(at + 150)).toEqual([undefined, 'Renamed2', 'Stays']);
});

test('who is sanctioned, cleared and sanctioned again is told as each time says, after a rebuild too', async () => {
  const at = 1_700_000_000;
  const listings = ['a Twice', 'b Other', 'a Twice', 'a Twice', 'b Other', 'a Twice'];
  for (const [month, line] of listings.entries()) await importWhole(at + month * 100, line);
  await settle();
  const expected = ['Twice', undefined, 'Twice', 'Twice', undefined, 'Twice'];
  const told = async () => {
    const each = expected.map((_, month) => namesAt(at + month * 100 + 50));
    return (await Promise.all(each)).map(([name]) => name);
  };
  expect(await told()).toEqual(expected);
  expect(await stage.ask(`SELECT count() FROM labels FINAL WHERE name = 'Twice'`)).toEqual([['3']]);
  await running.pop()?.stop();
  await stage.empty();
  await stage.store.log.forgetGroup(LABEL_GROUP);
  await settle();
  expect(await told()).toEqual(expected);
  // Taken back is what is so now; the past stays.
  const last = { source: 'authority', name: 'Twice', validFrom: at + 500 };
  await revoke(buildLabel({ chain: 'ethereum', address: wallet('a'), kind: 'sanctioned', ...last }));
  await settle(running[0]);
  expect(await told()).toEqual([...expected.slice(0, 5), undefined]);
});

const namesAt = async (seconds: number): Promise<(string | undefined)[]> => {
  const clock = { ...systemClock, nowUnixMs: () => seconds * 1_000 };
  const addresses = ['a', 'b', 'c'].map(wallet);
  const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
  const reader = createTransferReader(stage.warehouse.reader, clock);
  const labels = await reader.labels({ chain: 'ethereum' }, addresses, limits);
  return labels.map((label) => label?.name);
};

test('a record that is no label event is a dead letter, and the next ones are stored', async () => {
  const junk = Buffer.from([0, 0, 0, 0, 99, 1, 2, 3]);
  await stage.store.log.append([{ topic: 'labels', key: 'solana:wallet-1', value: junk }]);
  await assertLabels(exchange('wallet-1', 'alder'));
  await settle();
  expect(await shown('wallet-1')).toHaveProperty('wallet-1');
  const [letter] = await stage.deadLetters();
  expect(letter?.original).toEqual(junk);
  expect(letter?.source).toMatch(/^labels\/\d+\/0$/);
});
