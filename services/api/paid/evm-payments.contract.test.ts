import { describe, expect, test } from 'vitest';
import { EVM_NETWORK } from '../../testing/evm/payment-chain.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { closeGate, NOBODY, openPaidApi } from '../../testing/x402/paid-world.ts';
import {
  encodePayment,
  evmClient,
  offerOf,
  payingFetch,
  readOutcome,
  receiptOf,
  type Signed,
} from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

/** The same payment under an id of the client's choosing. */
const withId = ({ payload }: Signed, id: unknown): Record<string, string> => {
  const declared = payload.extensions?.['payment-identifier'] as { info: object };
  const identifier = { ...declared, info: { ...declared.info, id } };
  return encodePayment({
    ...payload,
    extensions: { ...payload.extensions, 'payment-identifier': identifier },
  });
};

const creditsOf = (response: Response): object =>
  JSON.parse(response.headers.get('x-service-credits') ?? '{}');

describe('paying for a call', () => {
  test('the official client asks, signs what it is asked for, and gets the answer and the transaction that paid', async () => {
    const { world, api, body, balances } = current();
    const payer = await world.chain.createPayer(PRICE);
    const before = await balances(payer);
    const response = await payingFetch(evmClient(payer))(`${api.url}/follow`, {
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
    const { world, api, body } = current();
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
    expect(await readOutcome(response)).toBe('402 payment_required payment_required');
    expect(api.worked()).toBe(0);
  });

  test('a request that is not valid is never asked to pay', async () => {
    const { api } = current();
    const response = await api.post('/follow', { address: 'nonsense' });
    expect(response.headers.has('payment-required')).toBe(false);
    expect(await readOutcome(response)).toBe('400 invalid_request');
  });

  test('work that fails or finds nothing is not settled, and the same payment can be sent again', async () => {
    const { world, api, body, sign, balances } = current();
    let fails = true;
    const onWork = async (): Promise<void> => {
      if (fails) throw new Error('bug');
    };
    api.beforeWork(onWork);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    expect(await readOutcome(await api.post('/follow', body, headers))).toBe('500 internal_error');
    fails = false;
    const nothing = await sign(api, payer, { ...body, address: NOBODY });
    const free = await api.post('/follow', { ...body, address: NOBODY }, nothing.headers);
    expect([free.status, free.headers.has('payment-response')]).toEqual([200, false]);
    expect((await balances(payer)).payer).toBe(PRICE);
    expect((await api.post('/follow', body, headers)).status).toBe(200);
    expect((await balances(payer)).payer).toBe(0n);
  });

  test('of a payment only what was signed is kept, not what its client wrote around it', async () => {
    const { world, body, sign } = current();
    await using alone = await openPaidApi({ ...world, folder: temporaryFolder() });
    const payer = await world.chain.createPayer(PRICE);
    const { payload } = await sign(alone, payer);
    // Twice, and in base64: with what was offered it stays below the 16 kB that heads may have.
    const words = 'x'.repeat(3_000);
    const extensions = { ...payload.extensions, words };
    const accepted = { ...payload.accepted, extra: { ...payload.accepted.extra, words } };
    const response = await alone.post('/follow', body, encodePayment({ ...payload, accepted, extensions }));
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
    const { world, api, body, otherBody, sign, balances } = current();
    const payer = await world.chain.createPayer(2n * PRICE);
    const named = async (request: object) => withId(await sign(api, payer, request), 'client_chosen_0001');
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
    expect(await readOutcome(other)).toBe('409 payment_id_taken');
    expect(api.worked()).toBe(1);
    expect((await balances(payer)).payer).toBe(PRICE);
  });
});

describe('an id that a client chose', () => {
  test('is not asked to be paid for again while its call is running, whichever payment it comes with', async () => {
    const { world, api, body, sign, balances } = current();
    const payer = await world.chain.createPayer(2n * PRICE);
    const [first, second] = [await sign(api, payer), await sign(api, payer)].map((signed) =>
      withId(signed, 'client_chosen_0002'),
    );
    const gate = closeGate(api);
    const running = api.post('/follow', body, first);
    await expect.poll(() => api.worked(), PATIENCE).toBe(1);
    for (const headers of [first, second]) {
      const response = await api.post('/follow', body, headers);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(await readOutcome(response)).toBe('409 call_in_progress');
    }
    gate.open();
    expect((await running).status).toBe(200);
    expect((await api.post('/follow', body, second)).status).toBe(200);
    expect(api.worked()).toBe(1);
    expect((await balances(payer)).payer).toBe(PRICE);
  });

  test('stands for no call where its payment was for another request: that is refused, with an id as without', async () => {
    const { world, api, body, otherBody, sign } = current();
    api.beforeWork(async () => {
      throw new Error('bug');
    });
    const signed = await sign(api, await world.chain.createPayer(PRICE));
    expect((await api.post('/follow', body, signed.headers)).status).toBe(500);
    for (const headers of [signed.headers, withId(signed, 'client_chosen_0004')])
      expect(await readOutcome(await api.post('/follow', otherBody, headers))).toBe(
        '402 payment_required payment_already_used',
      );
  });

  test('that is not well formed is refused and not dropped: its client counts on it', async () => {
    const { world, api, body, sign, balances } = current();
    const payer = await world.chain.createPayer(PRICE);
    const signed = await sign(api, payer);
    for (const id of ['short', 'x'.repeat(129), 'with spaces in between', 12]) {
      const response = await api.post('/follow', body, withId(signed, id));
      expect(await readOutcome(response)).toBe('400 invalid_payment');
    }
    expect([api.worked(), (await balances(payer)).payer]).toEqual([0, PRICE]);
  });
});

describe('what is refused before any work', () => {
  test('a header that is not a payment of version 2: 400', async () => {
    const { api, body } = current();
    const version1 = encodePayment({ x402Version: 1 })['PAYMENT-SIGNATURE'] ?? '';
    for (const header of ['', '%%%', Buffer.from('{').toString('base64'), version1]) {
      const response = await api.post('/follow', body, { 'PAYMENT-SIGNATURE': header });
      expect(await readOutcome(response)).toBe('400 invalid_payment');
    }
  });

  test('an empty key is one that opens nothing: it is not paid over', async () => {
    const { world, api, body, sign, balances } = current();
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    for (const empty of [{ 'x-api-key': '' }, { authorization: '' }]) {
      const response = await api.post('/follow', body, { ...headers, ...empty });
      expect(await readOutcome(response)).toBe('401 unauthorized');
    }
    expect((await balances(payer)).payer).toBe(PRICE);
  });

  test('another price, another receiver, a forged or expired or foreign authorisation, an empty wallet: 402, each with its reason', async () => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(PRICE);
    const poor = await world.chain.createPayer(0n);
    const { payload } = await sign(api, payer);
    const { accepted, payload: signed } = payload;
    const authorization = signed.authorization as Record<string, string>;
    const send = async (changed: object) =>
      readOutcome(await api.post('/follow', body, encodePayment(changed)));
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
    expect(await readOutcome(await api.post('/follow', body, unfunded.headers))).toContain(
      'insufficient_funds',
    );
    expect(api.worked()).toBe(0);
  });

  test('a forged payment takes no place and no nonce away from whom it names', async () => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(PRICE);
    const { payload, headers } = await sign(api, payer);
    const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'11'.repeat(64)}1b` } };
    expect(await readOutcome(await api.post('/follow', body, encodePayment(forged)))).toContain(
      'invalid_signature',
    );
    expect((await api.post('/follow', body, headers)).status).toBe(200);
  });

  test('while the facilitator is out of reach the answer is 503, not a request to pay, and names nobody', async () => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/verify', 'down');
    const response = await api.post('/follow', body, headers);
    world.facilitator.trouble('/verify', 'none');
    expect(JSON.stringify([...response.headers])).not.toContain(new URL(world.facilitator.url).port);
    expect(await readOutcome(response)).toBe('503 unavailable');
    world.facilitator.trouble('/supported', 'down');
    await using late = await openPaidApi(world);
    expect(await readOutcome(await late.post('/follow', body))).toBe('503 unavailable');
    world.facilitator.trouble('/supported', 'none');
    expect((await late.post('/follow', body, headers)).status).toBe(200);
    expect(api.worked()).toBe(0);
  });
});
