import { expect, onTestFinished, test } from 'vitest';
import { auditLedger } from '../../credits/audit.ts';
import { Books } from '../../credits/books.ts';
import type { LedgerCommand } from '../../credits/decider/commands.ts';
import { PLAN_IDS } from '../../credits/decider/plans.ts';
import type { Payer } from '../../credits/decider/state.ts';
import { TARIFF_NAMES } from '../../credits/decider/tariffs.ts';
import { DAY_MS } from '../../credits/decider/usage.ts';
import { type LedgerEntry, openLedgerCodec } from '../../credits/ledger-codec.ts';
import { createRandom, type Random } from '../../demo-world/random.ts';
import { createLogger } from '../../platform/logger.ts';
import { beforeQueries } from '../../testing/before-queries.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SinkStage } from '../../testing/sink-stage.ts';
import { fingerprintTables } from '../../warehouse/fingerprint.ts';
import { LEDGER_SINK_GROUP, readLedgerLag, startLedgerSink } from './start-ledger-sink.ts';

const stage = new SinkStage();
const ACCOUNTS: readonly Payer[] = ['account:a', 'account:b', 'account:c'];

const anyCommand = (random: Random, nowUnixMs: number): LedgerCommand => {
  const callId = `call-${random.between(0, 40)}`;
  const id = `command-${random.between(0, 20)}`;
  const cycle = random.pick(['monthly', 'yearly'] as const);
  const paidUntilUnixMs = random.pick([null, nowUnixMs + 20 * DAY_MS]);
  const deadlineUnixMs = nowUnixMs + 600_000;
  const tariff = random.pick(TARIFF_NAMES);
  return random.pick<LedgerCommand>([
    { type: 'ReserveCall', callId, tariff, keyId: 'key', deadlineUnixMs },
    { type: 'ReserveCall', callId, tariff, keyId: null, deadlineUnixMs },
    { type: 'PostCall', callId },
    { type: 'PostCall', callId },
    { type: 'VoidCall', callId, reason: 'failed' },
    { type: 'ChangePlan', id, plan: random.pick(PLAN_IDS), cycle, paidUntilUnixMs },
    { type: 'AddCredits', id, credits: random.between(1, 9) },
  ]);
};

/** Some months of three accounts and a wallet: every kind of event, periods that end, calls voided a day after their post. */
const live = (): { books: Books; entries: LedgerEntry[] } => {
  const random = createRandom(7);
  const books = new Books();
  const entries: LedgerEntry[] = [];
  let nowUnixMs = Date.UTC(2026, 0, 30, 23, 59);
  for (let step = 0; step < 6_000; step++) {
    nowUnixMs += random.chance(0.02) ? random.between(0, 2 * DAY_MS) : random.between(0, 20_000);
    const payer = random.pick<Payer>([...ACCOUNTS, 'wallet:solana:w']);
    entries.push(...books.handle(payer, anyCommand(random, nowUnixMs), nowUnixMs));
  }
  return { books, entries };
};

const sink = async (): Promise<void> => {
  const { store, warehouse } = stage;
  const running = startLedgerSink({ store, warehouse, logger: createLogger({ level: 'silent' }) });
  onTestFinished(() => running.stop());
  await Promise.race([expect.poll(() => readLedgerLag(store), PATIENCE).toBe(0), running.ended]);
  await running.stop();
};

const fingerprint = async () =>
  (await fingerprintTables(stage.warehouse.writer)).find(({ table }) => table === 'ledger_entries');

const numbers = (rows: unknown[][]): Record<string, number[]> =>
  Object.fromEntries(rows.map(([key, ...values]) => [key, values.map(Number)]));

/** `meanwhile` happens after the audit has looked how far the tables are, and before it reads them. */
const audit = async (meanwhile = async () => {}) => {
  const { log, registry } = stage.store;
  const codec = await openLedgerCodec(registry);
  const client = beforeQueries(stage.warehouse.writer, ({ query }) =>
    query.includes('FROM ledger_balances') ? meanwhile() : null,
  );
  const tables = { client, group: LEDGER_SINK_GROUP };
  return auditLedger({ log, codec, snapshot: null, tables });
};

const expectTablesOf = async (books: Books): Promise<void> => {
  const balances = await stage.ask(
    'SELECT payer, analyses_left, traces_left, pack_credits, open_calls FROM ledger_balances',
  );
  const states = [...books.states].map(([payer, state]) => [
    payer,
    [state.analysesLeft, state.tracesLeft, state.packCredits, state.open.size],
  ]);
  expect(numbers(balances)).toEqual(Object.fromEntries(states));
  const days =
    await stage.ask(`SELECT concat(payer, ' ', toString(toRelativeDayNum(date))), analyses, traces, follows,
      insiders, victims, failed, analyses_charged, traces_charged, credits_charged
    FROM usage_days WHERE payer LIKE 'account:%'`);
  const usages = [...books.usages].flatMap(([payer, usage]) =>
    [...usage].map(([day, counts]) => [`${payer} ${day}`, Object.values(counts)]),
  );
  expect(usages.length).toBeGreaterThan(100);
  expect(numbers(days)).toEqual(Object.fromEntries(usages));
};

test('the tables show the balances and the usage that the ledger shows, also when events come twice and after a rebuild', async () => {
  const { books, entries } = live();
  const codec = await openLedgerCodec(stage.store.registry);
  await stage.store.log.append(
    entries.map((entry) => ({ topic: 'ledger.events', key: entry.payer, value: codec.encodeEntry(entry) })),
  );
  await sink();
  await expectTablesOf(books);
  const first = await fingerprint();
  expect(first?.rows).toBe(entries.length);
  // Also for analysts, who may only read.
  const query = 'SELECT count() FROM ledger_balances UNION ALL SELECT count() > 0 FROM usage_days';
  const asked = await stage.warehouse.reader.query({ query, format: 'JSONCompactEachRow' });
  expect((await asked.json<[string]>()).map(Number).sort()).toEqual([1, 4]);
  await stage.store.log.forgetGroup(LEDGER_SINK_GROUP);
  await sink();
  await expectTablesOf(books);
  expect(await fingerprint()).toEqual(first);
  await stage.store.log.forgetGroup(LEDGER_SINK_GROUP);
  await stage.warehouse.writer.command({ query: 'TRUNCATE TABLE ledger_entries' });
  await sink();
  await expectTablesOf(books);
  expect(await fingerprint()).toEqual(first);
});

test('neither a plan that is paid until the end of the calendar nor a clock that was not set stops the tables', async () => {
  const books = new Books();
  const sinceStartMs = 12_345;
  const plan = { type: 'ChangePlan', id: 'plan', plan: 'team', cycle: 'yearly' } as const;
  const commands: LedgerCommand[] = [
    { ...plan, paidUntilUnixMs: Date.UTC(9999, 11, 31) },
    { type: 'AddCredits', id: 'pack', credits: 5 },
  ];
  const entries = commands.flatMap((command) => books.handle('account:a', command, sinceStartMs));
  const codec = await openLedgerCodec(stage.store.registry);
  await stage.store.log.append(
    entries.map((entry) => ({ topic: 'ledger.events', key: entry.payer, value: codec.encodeEntry(entry) })),
  );
  await sink();
  expect(await stage.ask('SELECT analyses_left, pack_credits FROM ledger_balances')).toEqual([
    ['120000', '5'],
  ]);
});

test('the audit compares the tables with the events that they hold, and names each amount that differs', async () => {
  const { books, entries } = live();
  const codec = await openLedgerCodec(stage.store.registry);
  const append = (some: readonly LedgerEntry[]) =>
    stage.store.log.append(
      some.map((entry) => ({ topic: 'ledger.events', key: entry.payer, value: codec.encodeEntry(entry) })),
    );
  await append(entries.slice(0, 5_000));
  await sink();
  expect(await audit()).toMatchObject({ problems: [], tables: { lag: 0, moving: 0 } });
  await append(entries.slice(5_000));
  expect(await audit()).toMatchObject({ problems: [], tables: { lag: entries.length - 5_000 } });
  await sink();
  expect(await audit()).toMatchObject({ problems: [], tables: { lag: 0 } });

  const whileRead = await audit(async () => {
    const command = { type: 'AddCredits', id: 'late', credits: 1 } as const;
    await append(books.handle('account:a', command, books.lastUnixMs));
    await sink();
  });
  expect(whileRead).toMatchObject({ problems: [], tables: { moving: 1 } });

  const change = (query: string) =>
    stage.warehouse.writer.command({ query, clickhouse_settings: { mutations_sync: '2' } });
  const posted = `type = 'CallPosted' AND payer = 'account:a' AND credits_charged > 0`;
  const [[sequence, date]] = (await stage.ask(
    `SELECT sequence, toString(toDate(at)) FROM ledger_entries WHERE ${posted} LIMIT 1`,
  )) as [[string, string]];
  await change(`ALTER TABLE ledger_entries UPDATE credits_charged = 77 WHERE sequence = ${sequence}`);
  await change(`ALTER TABLE ledger_entries UPDATE credits_change = credits_change + 1
    WHERE payer = 'account:b' AND type = 'CreditsAdded'`);
  await change(`ALTER TABLE ledger_entries DELETE WHERE payer = 'account:c'`);
  const { problems } = await audit();
  const saidOf = (payer: string) => problems.flatMap((p) => (p.payer === payer ? [p.problem] : []));
  expect(saidOf('account:a')).toEqual([
    expect.stringMatching(new RegExp(`^usage_days of ${date} differs: creditsCharged \\d+, not \\d+$`)),
  ]);
  expect(saidOf('account:b')).toEqual([
    expect.stringMatching(/^ledger_balances differs: credits \d+, not \d+$/),
  ]);
  expect(saidOf('account:c')[0]).toBe('ledger_balances lacks it');
  expect(saidOf('account:c').length).toBeGreaterThan(10);
  expect(problems.filter(({ payer }) => payer.startsWith('wallet:'))).toEqual([]);

  await change('ALTER TABLE ledger_entries DELETE WHERE 1');
  expect((await audit()).problems).toContainEqual({
    payer: '',
    problem: expect.stringContaining('the tables lack the last events of partition'),
  });
});
