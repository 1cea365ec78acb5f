import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAccountCodec } from '../../services/accounts/account-codec.ts';
import { startAccounts } from '../../services/accounts/accounts.ts';
import { createChargeCall } from '../../services/api/paid/charge-call.ts';
import type { Payer } from '../../services/credits/decider/state.ts';
import { type Ledger, startLedger } from '../../services/credits/ledger.ts';
import { openLedgerCodec } from '../../services/credits/ledger-codec.ts';
import { openSnapshotFile } from '../../services/credits/snapshot-file.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { loadConfig } from '../../services/platform/config/config.ts';
import { applyStoreTopics } from '../../services/roles/store/apply-store-topics.ts';
import { openStore, type Store } from '../../services/roles/store/open-store.ts';
import { say, secondsOf } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { numberOptions } from './number-options.ts';
import { findPostgres, measurePostgres } from './postgres.ts';

const RUNS = 3;
const SECONDS = 3;
/** Accounts that call at once. PostgreSQL gets fewer, because it has a process per connection. */
const CONCURRENT = 256;
const CALLS = 2_000;
const REPLAYED_EVENTS = 1_000_000;
const CREDITS = 100_000_000;
const MIB = 1 << 20;

const fail = (error: unknown): void => say(`ledger: ${String(error)}`);

const openLedger = async (store: Store): Promise<Ledger> => {
  const codec = await openLedgerCodec(store.registry);
  const snapshot = openSnapshotFile(join(store.folder, 'ledger-snapshot'));
  const ledger = startLedger({ log: store.log, codec, clock: systemClock, snapshot, onError: fail });
  await ledger.ready();
  return ledger;
};

const reserve = (callId: string) =>
  ({
    type: 'ReserveCall',
    callId,
    tariff: 'follow',
    keyId: 'k',
    deadlineUnixMs: Date.now() + 60_000,
  }) as const;

/** Fewer voids than the ledger allows. */
const IN_ROW = 50;

/**
 * Durable reservations a second. Each is voided, because an account has three at once, or posted from time to
 * time.
 */
const measureReservations = async (ledger: Ledger): Promise<number> => {
  const payers = Array.from({ length: CONCURRENT }, (_, i): Payer => `account:${i}`);
  await Promise.all(
    payers.map((payer) => ledger.submit(payer, { type: 'AddCredits', id: 'pack', credits: CREDITS })),
  );
  const untilMs = performance.now() + SECONDS * 1_000;
  let reservations = 0;
  const seconds = await secondsOf(() =>
    Promise.all(
      payers.map(async (payer) => {
        for (let call = 0; performance.now() < untilMs; call++) {
          const { status } = await ledger.submit(payer, reserve(`${payer} ${call} ${untilMs}`));
          if (status !== 'reserved') throw new Error(`a reservation was ${status}`);
          reservations += 1;
          const callId = `${payer} ${call} ${untilMs}`;
          const end =
            call % IN_ROW === 0
              ? ({ type: 'PostCall', callId } as const)
              : ({ type: 'VoidCall', callId, reason: 'failed' } as const);
          void ledger.submit(payer, end);
        }
      }),
    ),
  );
  return reservations / seconds;
};

/** What key look-up, reservation and post add to an empty call; milliseconds, one after another. */
const measureOverhead = async (store: Store, ledger: Ledger): Promise<number[]> => {
  const codec = await openAccountCodec(store.registry);
  const accounts = await startAccounts({ log: store.log, codec, clock: systemClock, onError: fail });
  const { accountId } = await accounts.open('bench');
  const { key } = await accounts.issueKey(accountId, 'bench');
  await ledger.submit(`account:${accountId}`, { type: 'AddCredits', id: 'pack', credits: CREDITS });
  const logger = { info: () => {}, error: fail };
  const chargeCall = createChargeCall({ ledger, clock: systemClock, logger });
  const overheads: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    const startMs = performance.now();
    const found = accounts.directory.find(key);
    if (found === null) throw new Error('the key was not found');
    const caller = { kind: 'account', accountId: found.accountId, keyId: found.id } as const;
    await chargeCall({ caller, tariff: 'follow' }, async () => ({ answer: null, free: null }));
    overheads.push(performance.now() - startMs);
  }
  await accounts.stop();
  return overheads;
};

/** How long a process takes to load the books of so many events. */
const measureReplay = async (store: Store, events: number): Promise<{ replay: number; snapshot: number }> => {
  const codec = await openLedgerCodec(store.registry);
  const charge = { analyses: 0, traces: 0, credits: 2 };
  const records = Array.from({ length: events / 2 }, (_, i) => {
    const payer: Payer = `account:${i % 1_000}`;
    const callId = `call-${i}`;
    const atUnixMs = 1_700_000_000_000 + i;
    const call = { callId, tariff: 'follow', charge } as const;
    const reserved = {
      type: 'CallReserved',
      ...call,
      keyId: 'k',
      deadlineUnixMs: atUnixMs + 60_000,
    } as const;
    return [reserved, { type: 'CallPosted', ...call } as const].map((event) => ({
      topic: 'ledger.events',
      key: payer,
      value: codec.encodeEntry({ payer, atUnixMs, event }),
    }));
  });
  for (let from = 0; from < records.length; from += 5_000)
    await store.log.append(records.slice(from, from + 5_000).flat());
  const open = async (): Promise<number> => {
    let ledger: Ledger | undefined;
    const seconds = await secondsOf(async () => {
      ledger = await openLedger(store);
    });
    // A deciding process writes a snapshot when it ends.
    await ledger?.submit('account:1', { type: 'AddCredits', id: `${seconds}`, credits: 1 });
    await ledger?.stop();
    return seconds;
  };
  return { replay: await open(), snapshot: await open() };
};

const withEmbedded = async <T>(measure: (store: Store) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-ledger-'));
  const store = await openStore({ dataFolder: folder, name: 'chain', maxQueuedBytes: 32 * MIB });
  try {
    return await measure(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const withLedger = async <T>(store: Store, measure: (ledger: Ledger) => Promise<T>): Promise<T> => {
  const ledger = await openLedger(store);
  try {
    return await measure(ledger);
  } finally {
    await ledger.stop();
  }
};

/** On the configured brokers, with topics of its own; null if there are none. */
const measureKafka = async (runs: number): Promise<number[] | null> => {
  const { kafka } = loadConfig(process.env);
  if (kafka === null) return null;
  const name = `world-${Math.floor(Math.random() * 1e9)}` as const;
  await applyStoreTopics(kafka, name);
  const folder = await mkdtemp(join(tmpdir(), 'spoor-bench-ledger-'));
  const store = await openStore({ dataFolder: folder, name, maxQueuedBytes: 32 * MIB, kafka });
  try {
    return await withLedger(store, async (ledger) => {
      const rates: number[] = [];
      for (let i = 0; i < runs; i++) rates.push(await measureReservations(ledger));
      return rates;
    });
  } finally {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** Measures the ledger, alternating with PostgreSQL if Debian's package is installed. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { runs, events } = numberOptions(argv, { runs: [RUNS], events: [REPLAYED_EVENTS, 2_000] });
  const postgres = findPostgres();
  const rates: number[] = [];
  const ratios: number[] = [];
  const overheads: number[] = [];
  for (let i = 0; i < runs; i++) {
    await withEmbedded((store) =>
      withLedger(store, async (ledger) => {
        overheads.push(median(await measureOverhead(store, ledger)));
        rates.push(await measureReservations(ledger));
      }),
    );
    if (postgres) ratios.push((rates.at(-1) ?? Number.NaN) / (await measurePostgres(postgres, SECONDS)));
  }
  const kafka = await measureKafka(runs);
  say(`replaying ${events} events`);
  const start = await withEmbedded((store) => measureReplay(store, events));
  const unit = `durable reservations/s, ${CONCURRENT} at once`;
  const figures = [
    toFigure({ name: 'ledger.reservations_per_s', subject: 'embedded', unit }, rates),
    toFigure(
      { name: 'ledger.call_overhead_p50_ms', unit: 'ms of key, reserve and post', atMost: 1.5 },
      overheads,
    ),
    toFigure({ name: 'ledger.replay_1m_s', unit: `s until the books of ${events} events are known` }, [
      start.replay,
    ]),
    toFigure({ name: 'ledger.snapshot_1m_s', unit: 's with a snapshot of them' }, [start.snapshot]),
  ];
  if (kafka) figures.push(toFigure({ name: 'ledger.reservations_per_s', subject: 'kafka', unit }, kafka));
  else say('ledger on kafka: skipped, KAFKA_BROKERS and SCHEMA_REGISTRY_URL are not set');
  const over = { name: 'ledger.over_postgres', unit: 'reservations over UPDATEs a second', atLeast: 2 };
  if (postgres) figures.push(toFigure(over, ratios));
  else say('ledger.over_postgres: skipped, PostgreSQL with pgbench is not installed');
  return figures;
};

export const bench: Bench = { name: 'ledger', run };
