import { afterAll, beforeAll, expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { openIdempotencyCodec } from '../../accounts/idempotency-codec.ts';
import { startIdempotencyKeys } from '../../accounts/idempotency-keys.ts';
import type { Service, TraceReader } from '../../investigate/model/trace-reader.ts';
import { createAnswers } from '../../payments/book/answers.ts';
import { startPayments } from '../../payments/start-payments.ts';
import { systemClock } from '../../platform/clock.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { issueKey } from '../../testing/issue-key.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryTraceReader } from '../../testing/memory/memory-trace-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import { type EvmWorld, startEvmWorld } from '../../testing/x402/paid-world.ts';
import { evmClient, insist, offerOf, readOutcome, signPayment } from '../../testing/x402/pay-api.ts';

const T = 1_699_000_000;
const NOTE = 10n ** 18n;
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const BEA = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const POOL = `0x${'1'.repeat(40)}`;
const OTHER = `0x${'3'.repeat(40)}`;
const hash = (digit: string): string => `0x${digit.repeat(64)}`;
const services = new Map<string, Service>([[POOL, { entity: 'Mix', kind: 'mixer' }]]);
const later = [
  { time: T + 900, hash: hash('c'), moves: [move(POOL, BEA, NOTE)] },
  { time: T + 90_000, moves: [move(BEA, OTHER, 1n)] },
];
const contradicting = { time: T, hash: hash('a'), moves: [move(ANN, OTHER, NOTE)] };
/** The traced transaction is not indexed yet, so the request is believed. */
const BEFORE = createMemoryTraceReader(tellStory('ethereum', later), { services });
/** It is, and was another transfer of the wallet. */
const AFTER = createMemoryTraceReader(tellStory('ethereum', [contradicting, ...later]), { services });
const body = {
  ...{ wallet: ANN, counterparty: POOL, signature: hash('a'), direction: 'out' },
  ...{ time: T, sol: 1, usd: 0, chain: 'ethereum' },
};

let world: EvmWorld;
beforeAll(async () => {
  world = await startEvmWorld();
});
afterAll(() => world.stop());

/** An API process that takes payments and Idempotency-Keys; `key` is of an account with ten pack credits. */
const open = async () => {
  const store = await openStore({ dataFolder: world.folder, name: 'chain', maxQueuedBytes: 4 << 20 });
  const { log, registry } = store;
  const clock = systemClock;
  const ledger = createMemoryLedger(clock);
  const directory = new Directory();
  const key = issueKey(directory);
  await ledger.submit('account:a', { type: 'AddCredits', id: 'pack', credits: 10 });
  // The facilitator is out of order on purpose.
  const shared = { log, clock, onError: () => {} };
  const payments = await startPayments({
    ...{ ...shared, registry, secret: Buffer.alloc(32, 7), giveCredits: async () => {} },
    x402: { facilitatorUrl: world.facilitator.url, networks: world.networks },
  });
  const keys = await startIdempotencyKeys({ ...shared, codec: await openIdempotencyCodec(registry) });
  let tables: TraceReader = BEFORE;
  const traceReader = new Proxy(BEFORE, { get: (_, name: keyof TraceReader) => tables[name] });
  const idempotency = { keys, answers: createAnswers(log) };
  const billing = { ledger, directory, isOpen: () => false, payments, idempotency };
  const api = await startApi({ traceReader, clock, billing });
  return {
    trace: (headers: Readonly<Record<string, string>> = {}) => api.post('/trace', body, headers),
    key,
    left: () => ledger.balance('account:a').packCredits,
    index: () => {
      tables = AFTER;
    },
    [Symbol.asyncDispose]: async () => {
      await api.close({ graceMs: 0 });
      await Promise.all([payments.stop(), keys.stop()]);
      await store.close();
    },
  };
};

test('a payment that was settled late brings the answer it paid for, whatever was indexed meanwhile', async () => {
  await using service = await open();
  const payer = await world.chain.createPayer(100_000n);
  const { headers } = await signPayment(evmClient(payer), offerOf(await service.trace()));
  world.facilitator.trouble('/settle', 'down');
  expect(await readOutcome(await service.trace(headers))).toBe('504 settlement_unknown');
  service.index();
  world.facilitator.trouble('/settle', 'none');
  const answer = await insist(() => service.trace(headers));
  expect(await world.chain.balance(payer.address)).toBe(0n);
  expect(await answer.json()).toMatchObject({ anchor: { verified: false }, candidates: [{}] });
  // Nobody else is sold it.
  const other = await world.chain.createPayer(100_000n);
  const again = await signPayment(evmClient(other), offerOf(await service.trace()));
  expect(await readOutcome(await service.trace(again.headers))).toBe('400 anchor_contradicted');
  expect(await world.chain.balance(other.address)).toBe(100_000n);
});

test('an Idempotency-Key brings the answer that was charged for, whatever was indexed meanwhile', async () => {
  await using service = await open();
  const ask = (order: string) => service.trace({ 'x-api-key': service.key, 'idempotency-key': order });
  const first = await ask('order-1');
  expect([first.status, service.left()]).toEqual([200, 8]);
  service.index();
  const again = await ask('order-1');
  expect([again.status, service.left()]).toEqual([200, 8]);
  expect(await again.json()).toEqual(await first.json());
  expect(await readOutcome(await ask('order-2'))).toBe('400 anchor_contradicted');
});
