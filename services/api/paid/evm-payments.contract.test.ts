import type { Hex, PrivateKeyAccount } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { EVM_NETWORK } from '../../testing/evm/payment-chain.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import {
  closeGate,
  type EvmWorld,
  NOBODY,
  openPaidApi,
  type PaidApi,
  SECOND_ADDRESS,
  startEvmWorld,
  WALLET_ADDRESS,
} from '../../testing/x402/paid-world.ts';
import {
  encodePayment,
  insist,
  offerOf,
  evmClient as payingClient,
  payingFetch,
  readOutcome as read,
  receiptOf,
  type Signed,
  signPayment,
} from '../../testing/x402/pay-api.ts';

const PRICE = 100_000n;
const PATIENCE = { timeout: 60_000 };
/** Each test asks something else: an answer that one left unpaid is no other's. */
let tests = 0;
let body = { address: WALLET_ADDRESS, chain: 'ethereum', since: 0 };
let otherBody = body;
beforeEach(() => {
  api.reset();
  tests += 1;
  body = { address: WALLET_ADDRESS, chain: 'ethereum', since: tests };
  otherBody = { ...body, address: SECOND_ADDRESS };
});

let world: EvmWorld;
let api: PaidApi;
beforeAll(async () => {
  world = await startEvmWorld();
  api = await openPaidApi(world);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await world.stop();
});

const sign = async (at: PaidApi, payer: PrivateKeyAccount, request: object = body): Promise<Signed> =>
  signPayment(payingClient(payer), offerOf(await at.post('/follow', request)));

const creditsOf = (response: Response): object =>
  JSON.parse(response.headers.get('x-service-credits') ?? '{}');

const balances = async (payer: PrivateKeyAccount) => ({
  payer: await world.chain.balance(payer.address),
  us: await world.chain.balance(world.payTo),
});

describe('paying for a call', () => {
  test('the official client asks, signs what it is asked for, and gets the answer and the transaction that paid', async () => {
    const payer = await world.chain.createPayer(PRICE);
    const before = await balances(payer);
    const response = await payingFetch(payingClient(payer))(`${api.url}/follow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ chain: 'ethereum', end: { reason: 'at_rest' } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(new Set(Object.values(creditsOf(response)))).toEqual(new Set([null]));
    const receipt = receiptOf(response);
    expect(receipt).toMatchObject({ success: true, network: EVM_NETWORK });
    const onChain = await world.chain.node.ask('eth_getTransactionReceipt', receipt.transaction);
    expect(onChain).toMatchObject({ status: '0x1' });
    expect(await balances(payer)).toEqual({ payer: 0n, us: before.us + PRICE });
    expect(api.worked()).toBe(1);
  });

  test('without a payment it is asked for, in the words of the specification, and nothing is done', async () => {
    const response = await api.post('/follow', body);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(offerOf(response)).toMatchObject({
      x402Version: 2,
      error: 'payment_required: This call costs $0.10.',
      resource: { url: `${api.url}/follow`, mimeType: 'application/json' },
      accepts: [
        {
          scheme: 'exact',
          network: EVM_NETWORK,
          amount: '100000',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          payTo: world.payTo,
          maxTimeoutSeconds: 300,
        },
      ],
      extensions: {
        bazaar: { info: { input: { type: 'http', method: 'POST', bodyType: 'json' } } },
        'payment-identifier': { info: { required: false } },
      },
    });
    expect(await read(response)).toBe('402 payment_required payment_required');
    expect(api.worked()).toBe(0);
  });

  test('a request that is not valid is never asked to pay', async () => {
    const response = await api.post('/follow', { address: 'nonsense' });
    expect(response.headers.has('payment-required')).toBe(false);
    expect(await read(response)).toBe('400 invalid_request');
  });

  test('work that fails or finds nothing is not settled, and the same payment can be sent again', async () => {
    let fails = true;
    const onWork = async (): Promise<void> => {
      if (fails) throw new Error('bug');
    };
    api.beforeWork(onWork);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    expect(await read(await api.post('/follow', body, headers))).toBe('500 internal_error');
    fails = false;
    const nothing = await sign(api, payer, { ...body, address: NOBODY });
    const free = await api.post('/follow', { ...body, address: NOBODY }, nothing.headers);
    expect([free.status, free.headers.has('payment-response')]).toEqual([200, false]);
    expect((await balances(payer)).payer).toBe(PRICE);
    expect((await api.post('/follow', body, headers)).status).toBe(200);
    expect((await balances(payer)).payer).toBe(0n);
  });

  test('of a payment only what was signed is kept, not what its client wrote around it', async () => {
    await using alone = await openPaidApi({ ...world, folder: temporaryFolder() });
    const payer = await world.chain.createPayer(PRICE);
    const { payload } = await sign(alone, payer);
    const words = 'x'.repeat(6_000);
    const extensions = { ...payload.extensions, words };
    const response = await alone.post('/follow', body, encodePayment({ ...payload, extensions }));
    expect(response.status).toBe(200);
    let events = '';
    for (const { partition, begin } of await alone.log.ranges('payments')) {
      const range = { topic: 'payments', partition, offset: begin, maxBytes: 1 << 20 };
      for (const { value } of await alone.log.read(range)) events += value.toString('latin1');
    }
    expect(events).toContain((payload.payload as { signature: string }).signature);
    expect(events).not.toContain(words);
  });

  test('the id that a client chose gets the answer again for nothing, and is refused with another request', async () => {
    const payer = await world.chain.createPayer(2n * PRICE);
    const named = async (request: object): Promise<Record<string, string>> => {
      const { payload } = await sign(api, payer, request);
      const declared = payload.extensions?.['payment-identifier'] as { info: object };
      const info = { ...declared.info, id: 'client_chosen_0001' };
      const extensions = { ...payload.extensions, 'payment-identifier': { ...declared, info } };
      return encodePayment({ ...payload, extensions });
    };
    const first = await named(body);
    const paid = await api.post('/follow', body, first);
    const again = await api.post('/follow', body, first);
    const byAnother = await api.post('/follow', body, await named(body));
    expect([paid.status, again.status, byAnother.status]).toEqual([200, 200, 200]);
    const answer = await paid.json();
    expect(await again.json()).toEqual(answer);
    expect(await byAnother.json()).toEqual(answer);
    expect(receiptOf(byAnother)).toEqual(receiptOf(paid));
    const other = await api.post('/follow', otherBody, await named(otherBody));
    expect(await read(other)).toBe('409 payment_id_taken');
    expect(api.worked()).toBe(1);
    expect((await balances(payer)).payer).toBe(PRICE);
  });
});

describe('what is refused before any work', () => {
  test('a header that is not a payment of version 2: 400', async () => {
    const version1 = encodePayment({ x402Version: 1 })['PAYMENT-SIGNATURE'] ?? '';
    for (const header of ['%%%', Buffer.from('{').toString('base64'), version1]) {
      const response = await api.post('/follow', body, { 'PAYMENT-SIGNATURE': header });
      expect(await read(response)).toBe('400 invalid_payment');
    }
  });

  test('another price, another receiver, a forged or expired or foreign authorisation, an empty wallet: 402, each with its reason', async () => {
    const payer = await world.chain.createPayer(PRICE);
    const poor = await world.chain.createPayer(0n);
    const { payload } = await sign(api, payer);
    const { accepted, payload: signed } = payload;
    const authorization = signed.authorization as Record<string, string>;
    const send = async (changed: object) => read(await api.post('/follow', body, encodePayment(changed)));
    const change = (fields: object) => ({
      ...payload,
      payload: { ...signed, authorization: { ...authorization, ...fields } },
    });
    expect(await send({ ...payload, accepted: { ...accepted, amount: '1' } })).toContain('wrong_price');
    expect(await send({ ...payload, accepted: { ...accepted, payTo: payer.address } })).toContain(
      'wrong_price',
    );
    expect(await send(change({ nonce: `0x${'ab'.repeat(32)}` }))).toContain('invalid_signature');
    expect(await send(change({ validBefore: '1700000000' }))).toContain('payment_expired');
    expect(await send(change({ validBefore: '4000000000' }))).toBe('400 invalid_payment');
    const permit2 = { ...payload, payload: { signature: signed.signature, permit2Authorization: {} } };
    expect(await send(permit2)).toBe('400 invalid_payment');
    const unfunded = await sign(api, poor);
    expect(await read(await api.post('/follow', body, unfunded.headers))).toContain('insufficient_funds');
    expect(api.worked()).toBe(0);
  });

  test('a forged payment takes no place and no nonce away from whom it names', async () => {
    const payer = await world.chain.createPayer(PRICE);
    const { payload, headers } = await sign(api, payer);
    const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'11'.repeat(64)}1b` } };
    expect(await read(await api.post('/follow', body, encodePayment(forged)))).toContain('invalid_signature');
    expect((await api.post('/follow', body, headers)).status).toBe(200);
  });

  test('while the facilitator is out of reach the answer is 503, not a request to pay, and names nobody', async () => {
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/verify', 'down');
    const response = await api.post('/follow', body, headers);
    world.facilitator.trouble('/verify', 'none');
    expect(JSON.stringify([...response.headers])).not.toContain(new URL(world.facilitator.url).port);
    expect(await read(response)).toBe('503 unavailable');
    world.facilitator.trouble('/supported', 'down');
    await using late = await openPaidApi(world);
    expect(await read(await late.post('/follow', body))).toBe('503 unavailable');
    world.facilitator.trouble('/supported', 'none');
    expect((await late.post('/follow', body, headers)).status).toBe(200);
    expect(api.worked()).toBe(0);
  });
});

describe('published attacks', () => {
  test('one payment, many grants: sent at once to two processes it runs the work once and buys one answer', async () => {
    await using two = await openPaidApi(world);
    const payer = await world.chain.createPayer(10n * PRICE);
    const { headers } = await sign(api, payer);
    const settled = world.facilitator.asked['/settle'];
    const apis = [api, two, api, two, api, two];
    const answers = await Promise.all(
      apis.map(async (each) => read(await each.post('/follow', body, headers))),
    );
    expect(answers.filter((answer) => answer === '200')).toHaveLength(1);
    const refused = /^(402 payment_required payment_already_used|429 too_many_calls|504 settlement_unknown)$/;
    expect(answers.filter((answer) => refused.test(answer))).toHaveLength(5);
    expect(api.worked() + two.worked()).toBe(1);
    expect(world.facilitator.asked['/settle'] - settled).toBe(1);
    expect((await balances(payer)).payer).toBe(9n * PRICE);
  });

  test('duplicate-settlement race: sent again while it is being settled it is refused', async () => {
    const gate = closeGate(api);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    const first = api.post('/follow', body, headers);
    await expect.poll(() => api.worked(), PATIENCE).toBe(1);
    expect(await read(await api.post('/follow', body, headers))).toContain('payment_already_used');
    gate.open();
    expect((await first).status).toBe(200);
  });

  test('replay after a restart and to another process: what was spent stays spent', async () => {
    const payer = await world.chain.createPayer(2n * PRICE);
    let headers: Record<string, string>;
    {
      await using before = await openPaidApi(world);
      ({ headers } = await sign(before, payer));
      expect((await before.post('/follow', body, headers)).status).toBe(200);
    }
    await using after = await openPaidApi(world);
    for (const each of [after, api]) {
      const send = async () => read(await each.post('/follow', body, headers));
      await expect.poll(send, PATIENCE).toContain('payment_already_used');
      expect(each.worked()).toBe(0);
    }
  });

  test('cross-resource substitution: a payment claimed for one request never buys another', async () => {
    let fails = true;
    const onWork = async (): Promise<void> => {
      if (fails) throw new Error('bug');
    };
    api.beforeWork(onWork);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    expect((await api.post('/follow', body, headers)).status).toBe(500);
    fails = false;
    expect(await read(await api.post('/follow', otherBody, headers))).toContain('payment_already_used');
    expect((await api.post('/follow', body, headers)).status).toBe(200);
    expect(await read(await api.post('/follow', otherBody, headers))).toContain('payment_already_used');
    expect(api.worked()).toBe(2);
  });

  test('revert after grant: money gone before the settlement holds the result back, until somebody pays for it', async () => {
    const gate = closeGate(api);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    const pending = api.post('/follow', body, headers);
    await expect.poll(() => api.worked(), PATIENCE).toBe(1);
    await world.chain.emptyWallet(payer);
    gate.open();
    const failed = await pending;
    expect(receiptOf(failed)).toMatchObject({ success: false, errorReason: 'insufficient_funds' });
    expect(receiptOf(failed)).not.toHaveProperty('errorMessage');
    expect(await read(failed)).toBe('402 settlement_failed insufficient_funds');
    const honest = await world.chain.createPayer(PRICE);
    const paid = await api.post('/follow', body, (await sign(api, honest)).headers);
    expect(await paid.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(api.worked()).toBe(1);
    expect((await balances(honest)).payer).toBe(0n);
  });

  test('denial of settlement: who takes authorisations back gets nothing, and after three times not even work', async () => {
    const gates: (() => void)[] = [];
    const onWork = () => new Promise<void>((resolve) => gates.push(resolve));
    api.beforeWork(onWork);
    const payer = await world.chain.createPayer(PRICE);
    for (let hops = 1; hops <= 3; hops += 1) {
      const request = { ...body, max_hops: hops };
      const { headers, payload } = await sign(api, payer, request);
      const pending = api.post('/follow', request, headers);
      await expect.poll(() => gates.length, PATIENCE).toBe(1);
      const { nonce } = payload.payload.authorization as { nonce: `0x${string}` };
      await world.chain.cancel(payer, nonce);
      gates.pop()?.();
      expect(await read(await pending)).toBe('402 settlement_failed payment_already_used');
    }
    const { headers } = await sign(api, payer);
    expect(await read(await api.post('/follow', body, headers))).toContain('too_many_failed_settlements');
    expect(api.worked()).toBe(3);
    expect((await balances(payer)).payer).toBe(PRICE);
  });

  test.each(['by itself', 'beside a transfer of the price to us'])(
    'one nonce, many authorisations: the nonce of a payment, spent on another transfer %s, buys nothing',
    async (how) => {
      const gate = closeGate(api);
      const payer = await world.chain.createPayer(2n * PRICE);
      const { headers, payload } = await sign(api, payer);
      const pending = api.post('/follow', body, headers);
      await expect.poll(() => api.worked(), PATIENCE).toBe(1);
      const { nonce } = payload.payload.authorization as { nonce: Hex };
      const toItself = { payer, to: payer.address, value: PRICE, nonce };
      const toUs = { payer, to: world.payTo, value: PRICE, nonce: `0x${'0'.repeat(64)}` } as const;
      await world.chain.land(...(how === 'by itself' ? [toItself] : [toItself, toUs]));
      gate.open();
      expect(await read(await pending)).toBe('402 settlement_failed payment_already_used');
    },
  );

  test('cache leak: what one has paid for, nobody gets unpaid or by the payment of another call', async () => {
    const payer = await world.chain.createPayer(2n * PRICE);
    const first = await sign(api, payer);
    const paid = await api.post('/follow', body, first.headers);
    expect([paid.status, paid.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await read(await api.post('/follow', body))).toBe('402 payment_required payment_required');
    const replayed = await api.post('/follow', body, first.headers);
    expect(replayed.headers.get('cache-control')).toBe('no-store');
    expect(await read(replayed)).toContain('payment_already_used');
    expect((await api.post('/follow', body, (await sign(api, payer)).headers)).status).toBe(200);
    expect(api.worked()).toBe(2);
  });

  test('a wallet runs at most three calls at once', async () => {
    const gate = closeGate(api);
    const payer = await world.chain.createPayer(4n * PRICE);
    const running = [1, 2, 3].map(async () => api.post('/follow', body, (await sign(api, payer)).headers));
    await expect.poll(() => api.worked(), PATIENCE).toBe(3);
    const fourth = await sign(api, payer);
    expect(await read(await api.post('/follow', body, fourth.headers))).toBe('429 too_many_calls');
    gate.open();
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
    expect((await api.post('/follow', body, fourth.headers)).status).toBe(200);
  });

  test('a place that the ledger gave to a wallet without saying so is given back', async () => {
    const memory = createMemoryLedger(systemClock);
    const submit: Ledger['submit'] = async (payer, command) => {
      const answer = await memory.submit(payer, command);
      if (command.type === 'ReserveCall') throw new LedgerUnavailableError();
      return answer;
    };
    await using lossy = await openPaidApi(world, { ledger: { ...memory, submit } });
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(lossy, payer);
    expect(await read(await lossy.post('/follow', body, headers))).toBe('503 unavailable');
    const wallet = `wallet:${EVM_NETWORK}:${payer.address.toLowerCase()}` as const;
    await expect.poll(() => memory.balance(wallet).openCalls, PATIENCE).toBe(0);
  });
});

describe('a settlement of which nobody heard', () => {
  test('that went through is found on chain, and the answer given', async () => {
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/settle', 'answer_lost');
    const response = await api.post('/follow', body, headers);
    world.facilitator.trouble('/settle', 'none');
    expect(response.status).toBe(200);
    const onChain = await world.chain.node.ask('eth_getTransactionReceipt', receiptOf(response).transaction);
    expect(onChain).toMatchObject({ status: '0x1' });
    expect((await balances(payer)).payer).toBe(0n);
  });

  test('is not asked for a second time meanwhile: the same payment is told to wait', async () => {
    await using quick = await openPaidApi(world, { limits: { settleTimeoutMs: 1_500 } });
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(quick, payer);
    const settled = world.facilitator.asked['/settle'];
    world.facilitator.trouble('/settle', 'silent');
    const pending = quick.post('/follow', body, headers);
    await expect.poll(() => world.facilitator.asked['/settle'], PATIENCE).toBe(settled + 1);
    expect(await read(await quick.post('/follow', body, headers))).toBe('504 settlement_unknown');
    const sendElsewhere = async () => read(await api.post('/follow', body, headers));
    await expect.poll(sendElsewhere, PATIENCE).toBe('504 settlement_unknown');
    expect((await pending).status).toBe(200);
    world.facilitator.trouble('/settle', 'none');
  });

  test('that went through in the transaction of somebody else, ahead of the one of the facilitator, is found as well', async () => {
    const { chain, payTo } = world;
    const payer = await chain.createPayer(PRICE);
    const { headers, payload } = await sign(api, payer);
    await chain.node.ask('evm_setAutomine', false);
    const pending = api.post('/follow', body, headers);
    const waiting = async () => (await chain.node.ask('txpool_status')) as { pending: string };
    await expect.poll(waiting, PATIENCE).toMatchObject({ pending: '0x1' });
    const { nonce } = payload.payload.authorization as { nonce: Hex };
    await chain.land({ payer, to: payTo, value: PRICE, nonce });
    await chain.node.ask('evm_mine');
    await chain.node.ask('evm_setAutomine', true);
    const response = await pending;
    expect(response.status).toBe(200);
    const onChain = await chain.node.ask('eth_getTransactionReceipt', receiptOf(response).transaction);
    expect(onChain).toMatchObject({ status: '0x1' });
    expect((await balances(payer)).payer).toBe(0n);
  });

  test('that never arrived is made later, once, and then the same payment fetches the result', async () => {
    const payer = await world.chain.createPayer(2n * PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/settle', 'down');
    expect(await read(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    expect(await read(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    expect((await balances(payer)).payer).toBe(2n * PRICE);
    world.facilitator.trouble('/settle', 'none');
    const fetched = await insist(() => api.post('/follow', body, headers));
    expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(receiptOf(fetched)).toMatchObject({ success: true });
    for (const request of [body, otherBody])
      expect(await read(await api.post('/follow', request, headers))).toContain('payment_already_used');
    expect(api.worked()).toBe(1);
    expect((await balances(payer)).payer).toBe(PRICE);
  });
});

test('an answer that was paid for and lost on its way is fetched by the same payment, once, from any process', async () => {
  await using quick = await openPaidApi(world, { limits: { settleTimeoutMs: 500 } });
  const payer = await world.chain.createPayer(2n * PRICE);
  const { headers, payload } = await sign(quick, payer);
  const settled = world.facilitator.asked['/settle'];
  world.facilitator.trouble('/settle', 'silent');
  const client = new AbortController();
  const lost = fetch(`${quick.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: client.signal,
  }).catch(() => 'lost');
  await expect.poll(() => world.facilitator.asked['/settle'], PATIENCE).toBe(settled + 1);
  client.abort();
  expect(await lost).toBe('lost');
  world.facilitator.trouble('/settle', 'none');
  const fetched = await insist(() => api.post('/follow', body, headers));
  expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
  expect(receiptOf(fetched)).toMatchObject({ success: true });
  const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'11'.repeat(65)}` } };
  for (const sent of [headers, encodePayment(forged)])
    expect(await read(await api.post('/follow', body, sent))).toContain('payment_already_used');
  expect(quick.worked() + api.worked()).toBe(1);
  expect((await balances(payer)).payer).toBe(PRICE);
});

describe('credits bought by the pack', () => {
  const signIn = async (at: PaidApi, wallet: PrivateKeyAccount): Promise<Record<string, string>> => {
    const challenge = await at.post('/account/challenge', { address: wallet.address });
    const { message } = (await challenge.json()) as { message: string };
    const signature = await wallet.signMessage({ message });
    const session = await at.post('/account/session', { message, signature });
    return { cookie: (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  };

  test('by the official client: a dollar is twenty, in the account that is signed in', async () => {
    await using shop = await openPaidApi(world, { signsIn: true });
    const payer = await world.chain.createPayer(1_000_000n);
    const cookie = await signIn(shop, payer);
    expect(await read(await shop.post('/account/packs', { credits: 20 }))).toBe('401 unauthorized');
    expect(await read(await shop.post('/account/packs', { credits: 0.5 }, cookie))).toBe(
      '400 invalid_request',
    );
    const response = await payingFetch(payingClient(payer))(`${shop.url}/account/packs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...cookie },
      body: JSON.stringify({ credits: 20 }),
    });
    expect(await response.json()).toEqual({ credits_bought: 20, pack_credits: 20 });
    expect((await balances(payer)).payer).toBe(0n);
    // With a key they are spent, and a payment beside it is not; a key that opens nothing is not paid over.
    const issued = (await (await shop.post('/account/keys', { name: 'k' }, cookie)).json()) as {
      key: string;
    };
    const other = await world.chain.createPayer(PRICE);
    const { headers } = await sign(shop, other);
    const called = await shop.post('/follow', body, { ...headers, 'x-api-key': issued.key });
    expect([called.status, called.headers.has('payment-response')]).toEqual([200, false]);
    expect(creditsOf(called)).toMatchObject({ pack_credits: 18 });
    const wrong = await shop.post('/follow', body, { ...headers, 'x-api-key': 'spoor_live_x' });
    expect(await read(wrong)).toBe('401 unauthorized');
    expect((await balances(other)).payer).toBe(PRICE);
  });

  test('settled and not given, because the ledger was away, they are given later, and once', async () => {
    const memory = createMemoryLedger(systemClock);
    let isAway = true;
    let given = 0;
    const submit: Ledger['submit'] = async (account, command) => {
      if (command.type === 'AddCredits' && isAway) throw new LedgerUnavailableError();
      if (command.type === 'AddCredits') given += 1;
      return memory.submit(account, command);
    };
    const balance: Ledger['balance'] = (account) => {
      if (isAway) throw new LedgerUnavailableError();
      return memory.balance(account);
    };
    // On a log of its own: whoever reconciles gives to the ledger of all, which is this one.
    const alone = { ...world, folder: temporaryFolder() };
    await using shop = await openPaidApi(alone, { signsIn: true, ledger: { ...memory, submit, balance } });
    const payer = await world.chain.createPayer(500_000n);
    const cookie = await signIn(shop, payer);
    const offer = offerOf(await shop.post('/account/packs', { credits: 10 }, cookie));
    const { headers } = await signPayment(payingClient(payer), offer);
    const response = await shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    expect(await response.json()).toEqual({ credits_bought: 10, pack_credits: null });
    isAway = false;
    await expect.poll(() => given, PATIENCE).toBe(1);
    const account = (await (await fetch(`${shop.url}/account`, { headers: cookie })).json()) as object;
    expect(account).toMatchObject({ pack_credits: 10 });
    const again = await shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    expect(await read(again)).toContain('payment_already_used');
  });
});

// Last: it may leave the facilitator with a transaction that waits for another.
describe('a published attack on the order of nonces', () => {
  test('allowance overdraft: of three payments at once with money for one, one answer is given away', async () => {
    await using quick = await openPaidApi(world, { limits: { settleTimeoutMs: 3_000 } });
    const gate = closeGate(quick);
    const payer = await world.chain.createPayer(PRICE);
    const requests = [1, 2, 3].map((hops) => ({ ...body, max_hops: hops }));
    const pending = requests.map(async (request) =>
      quick.post('/follow', request, (await sign(quick, payer, request)).headers),
    );
    await expect.poll(() => quick.worked(), PATIENCE).toBe(3);
    gate.open();
    const answers = await Promise.all((await Promise.all(pending)).map(read));
    expect(answers.filter((answer) => answer === '200')).toHaveLength(1);
    // A facilitator that took a nonce for a transfer it could not send sits on the one behind it: that is not known then.
    const held =
      /^(402 settlement_failed insufficient_funds|402 settlement_failed simulation_failed|504 settlement_unknown)$/;
    expect(answers.filter((answer) => held.test(answer))).toHaveLength(2);
    expect((await balances(payer)).payer).toBe(0n);
  });
});

// After everything else: the chain's clock runs ahead of ours from here on.
test('a payment of which nobody heard has failed only once the chain takes it no more, and then buys nothing', async () => {
  const payer = await world.chain.createPayer(PRICE);
  const { headers } = await sign(api, payer);
  const send = async () => read(await api.post('/follow', body, headers));
  world.facilitator.trouble('/settle', 'down');
  expect(await send()).toBe('504 settlement_unknown');
  await world.chain.node.ask('evm_increaseTime', 400);
  await world.chain.node.ask('evm_mine');
  await expect.poll(send, PATIENCE).toBe('402 payment_required payment_already_used');
  expect((await balances(payer)).payer).toBe(PRICE);
});
