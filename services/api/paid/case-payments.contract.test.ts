import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import { startPayments } from '../../payments/start-payments.ts';
import { systemClock } from '../../platform/clock.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { move, tellStory } from '../../testing/chain-story.ts';
import { createMemoryCaseReader } from '../../testing/memory/memory-case-reader.ts';
import { createMemoryFunderReader } from '../../testing/memory/memory-funder-reader.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { createMemoryTokenReader } from '../../testing/memory/memory-token-reader.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { startApi } from '../../testing/start-api.ts';
import { type EvmWorld, startEvmWorld } from '../../testing/x402/paid-world.ts';
import { evmClient, offerOf, receiptOf, signPayment } from '../../testing/x402/pay-api.ts';

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const ANN = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
const THIEF = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
const TOKEN = `0x${'3'.repeat(40)}`;
const CURVE = `0x${'2'.repeat(40)}`;
const NOTHING = `0x${'9'.repeat(40)}`;
const T = 1_690_000_000;

const blocks = tellStory('ethereum', [
  { time: T, hash: '0xaa', by: ANN, moves: [move(null, CURVE, 1_000n, { asset: TOKEN, kind: 'mint' })] },
  { time: T + 9, hash: '0xbb', by: ANN, moves: [move(ANN, THIEF, 90_000_000n, { asset: USDC })] },
]);

let world: EvmWorld;
beforeAll(async () => {
  world = await startEvmWorld();
});
afterAll(() => world.stop());

/** An API that takes payments, over one launch and one theft. */
const open = async () => {
  const store = await openStore({ dataFolder: world.folder, name: 'chain', maxQueuedBytes: 4 << 20 });
  const clock = systemClock;
  const payments = await startPayments({
    ...{ log: store.log, clock, onError: () => {}, registry: store.registry },
    ...{ secret: Buffer.alloc(32, 7), giveCredits: async () => {} },
    x402: { facilitatorUrl: world.facilitator.url, networks: world.networks },
  });
  const api = await startApi({
    reader: createMemoryReader(blocks),
    cases: createMemoryCaseReader(blocks),
    funders: createMemoryFunderReader(blocks),
    tokens: createMemoryTokenReader(blocks),
    clock,
    billing: {
      ...{ ledger: createMemoryLedger(clock), directory: new Directory(), isOpen: () => false, payments },
    },
  });
  return {
    post: api.post,
    [Symbol.asyncDispose]: async () => {
      await api.close({ graceMs: 0 });
      await payments.stop();
      await store.close();
    },
  };
};

describe.each([
  ['/insiders', 100_000n, { token: TOKEN }, { token: NOTHING }, { launch: { signature: '0xaa' } }],
  ['/victims', 150_000n, { address: THIEF }, { address: NOTHING }, { totals: { victims: 1, usd: 90 } }],
] as const)('%s by x402', (path, price, body, unknown, answer) => {
  test('costs what is offered, and is settled with the answer', async () => {
    await using api = await open();
    const payer = await world.chain.createPayer(price);
    const offer = offerOf(await api.post(path, body));
    expect(offer.accepts).toMatchObject([{ amount: String(price) }]);
    const { headers } = await signPayment(evmClient(payer), offer);
    const response = await api.post(path, body, headers);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(answer);
    expect(receiptOf(response)).toMatchObject({ success: true });
    expect(await world.chain.balance(payer.address)).toBe(0n);
  });

  test('is free where the data knows nothing, and leaves the payment with its owner', async () => {
    await using api = await open();
    const payer = await world.chain.createPayer(price);
    const { headers } = await signPayment(evmClient(payer), offerOf(await api.post(path, unknown)));
    const response = await api.post(path, unknown, headers);
    expect(await response.json()).toMatchObject({ meta: { scope: 'no_data' } });
    expect([response.status, response.headers.has('payment-response')]).toEqual([200, false]);
    expect(await world.chain.balance(payer.address)).toBe(price);
  });
});
