import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../../credits/ledger.ts';
import { createEvmChain } from '../../payments/chains/evm-chain.ts';
import { systemClock } from '../../platform/clock.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { forwardingNode } from '../../testing/nodes/forwarding-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { openPaidApi } from '../../testing/x402/paid-world.ts';
import { encodePayment, insist, readOutcome, receiptOf } from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

test.each(['from', 'nonce'])(
  'the chain tells of a payment that has moved, whichever letters its %s is written in',
  async (field) => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(PRICE);
    const { headers, payload } = await sign(api, payer);
    const { transaction } = receiptOf(await api.post('/follow', body, headers));
    const { signature, authorization } = payload.payload as {
      signature: Hex;
      authorization: Record<string, string>;
    };
    const inCapitals = `0x${authorization[field]?.slice(2).toUpperCase()}`;
    const written = {
      ...payload,
      payload: { signature, authorization: { ...authorization, [field]: inCapitals } },
    };
    const signed = { payload: written, requirements: payload.accepted };
    const found = await createEvmChain(world.chain.node.url).look(signed, Date.now() - 60_000);
    expect(found).toEqual({ status: 'moved', transaction });
  },
);

describe('a settlement of which nobody heard', () => {
  test('that went through is found on chain, and the answer given', async () => {
    const { world, api, body, sign, balances } = current();
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

  test('that a facilitator only speaks of buys no answer before the chain shows it', async () => {
    const { world, api, body, sign, balances } = current();
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/settle', 'lies');
    expect(await readOutcome(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    expect((await balances(payer)).payer).toBe(PRICE);
    world.facilitator.trouble('/settle', 'none');
    expect((await insist(() => api.post('/follow', body, headers))).status).toBe(200);
    expect((await balances(payer)).payer).toBe(0n);
  });

  test('is not asked for a second time meanwhile: the same payment is told to wait', async () => {
    const { world, api, body, sign } = current();
    await using other = await openPaidApi(world);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    const settled = world.facilitator.asked['/settle'];
    world.facilitator.trouble('/settle', 'silent');
    const pending = api.post('/follow', body, headers);
    await expect.poll(() => world.facilitator.asked['/settle'], PATIENCE).toBe(settled + 1);
    expect(await readOutcome(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    const sendElsewhere = async () => readOutcome(await other.post('/follow', body, headers));
    await expect.poll(sendElsewhere, PATIENCE).toBe('504 settlement_unknown');
    world.facilitator.trouble('/settle', 'none');
    expect((await pending).status).toBe(200);
    expect(world.facilitator.asked['/settle']).toBe(settled + 1);
  });

  test('that went through in the transaction of somebody else, ahead of the one of the facilitator, is found as well', async () => {
    const { world, api, body, sign, balances } = current();
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
    const { world, api, body, otherBody, sign, balances } = current();
    const payer = await world.chain.createPayer(2n * PRICE);
    const { headers } = await sign(api, payer);
    world.facilitator.trouble('/settle', 'down');
    expect(await readOutcome(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    expect(await readOutcome(await api.post('/follow', body, headers))).toBe('504 settlement_unknown');
    expect((await balances(payer)).payer).toBe(2n * PRICE);
    world.facilitator.trouble('/settle', 'none');
    const fetched = await insist(() => api.post('/follow', body, headers));
    expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(receiptOf(fetched)).toMatchObject({ success: true });
    for (const request of [body, otherBody])
      expect(await readOutcome(await api.post('/follow', request, headers))).toContain(
        'payment_already_used',
      );
    expect(api.worked()).toBe(1);
    expect((await balances(payer)).payer).toBe(PRICE);
  });
});

test('an answer that was paid for and lost on its way is fetched by the same payment, once, from any process', async () => {
  const { world, api, body, sign, balances } = current();
  await using other = await openPaidApi(world);
  const payer = await world.chain.createPayer(2n * PRICE);
  const { headers, payload } = await sign(other, payer);
  const settled = world.facilitator.asked['/settle'];
  world.facilitator.trouble('/settle', 'silent');
  const client = new AbortController();
  const lost = fetch(`${other.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: client.signal,
  }).catch(() => 'lost');
  await expect.poll(() => world.facilitator.asked['/settle'], PATIENCE).toBe(settled + 1);
  client.abort();
  expect(await lost).toBe('lost');
  world.facilitator.trouble('/settle', 'none');
  const forged = { ...payload, payload: { ...payload.payload, signature: `0x${'11'.repeat(65)}` } };
  const sendForged = async () => readOutcome(await api.post('/follow', body, encodePayment(forged)));
  // Also while the answer is owed.
  await expect.poll(sendForged, PATIENCE).toContain('payment_already_used');
  const fetched = await insist(() => api.post('/follow', body, headers));
  expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
  expect(receiptOf(fetched)).toMatchObject({ success: true });
  expect(await readOutcome(await api.post('/follow', body, headers))).toContain('payment_already_used');
  expect(await sendForged()).toContain('payment_already_used');
  expect(other.worked() + api.worked()).toBe(1);
  expect((await balances(payer)).payer).toBe(PRICE);
});

test('an answer that was paid for does not wait for the ledger: meanwhile whoever read the payment on chain would get it', async () => {
  const { world, body, sign } = current();
  const memory = createMemoryLedger(systemClock);
  const ledger: Ledger = {
    ...memory,
    submit: (payer, command) =>
      command.type === 'PostCall' ? new Promise(() => {}) : memory.submit(payer, command),
  };
  await using api = await openPaidApi(world, { ledger });
  const { headers } = await sign(api, await world.chain.createPayer(PRICE));
  expect((await api.post('/follow', body, headers)).status).toBe(200);
});

test('however long the work takes nothing is settled before it is done', async () => {
  const { world, body, sign, balances } = current();
  await using quick = await openPaidApi(world, { limits: { earlySettleMs: 1 } });
  const { promise, reject } = Promise.withResolvers<void>();
  quick.beforeWork(() => promise);
  const payer = await world.chain.createPayer(PRICE);
  const settled = world.facilitator.asked['/settle'];
  const pending = quick.post('/follow', body, (await sign(quick, payer)).headers);
  await expect.poll(() => quick.worked(), PATIENCE).toBe(1);
  // Longer than a settlement takes.
  await sleep(500);
  reject(new Error('bug'));
  expect(await readOutcome(await pending)).toBe('500 internal_error');
  expect(world.facilitator.asked['/settle']).toBe(settled);
  expect((await balances(payer)).payer).toBe(PRICE);
});

test('what became of a payment is asked at one block, which all nodes behind an address know', async () => {
  const { world, api, body, sign } = current();
  const payer = await world.chain.createPayer(PRICE);
  const { headers, payload } = await sign(api, payer);
  const { transaction } = receiptOf(await api.post('/follow', body, headers));
  const { url } = await forwardingNode(world.chain.node.url, ({ method, params }) =>
    method === 'eth_call' && params[1] === 'latest' ? { code: -32_000, message: 'which block?' } : null,
  );
  const signed = { payload, requirements: payload.accepted };
  const found = await createEvmChain(url).look(signed, Date.now() - 60_000);
  expect(found).toEqual({ status: 'moved', transaction });
});

// After everything else: the chain's clock runs ahead of ours from here on.
test('a payment of which nobody heard has failed only once the chain takes it no more, and then buys nothing', async () => {
  const { world, api, body, sign, balances } = current();
  const payer = await world.chain.createPayer(PRICE);
  const { headers } = await sign(api, payer);
  const send = async () => readOutcome(await api.post('/follow', body, headers));
  world.facilitator.trouble('/settle', 'down');
  expect(await send()).toBe('504 settlement_unknown');
  await world.chain.node.ask('evm_increaseTime', 400);
  await world.chain.node.ask('evm_mine');
  await expect.poll(send, PATIENCE).toBe('402 payment_required payment_already_used');
  expect((await balances(payer)).payer).toBe(PRICE);
});
