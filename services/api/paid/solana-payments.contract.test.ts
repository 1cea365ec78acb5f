import {
  createKeyPairFromBytes,
  createSolanaRpc,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  type KeyPairSigner,
  signTransaction,
} from '@solana/kit';
import { HTTPFacilitatorClient } from '@x402/core/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSolanaChain } from '../../payments/chains/solana-chain.ts';
import { forwardingNode } from '../../testing/nodes/forwarding-node.ts';
import { type ScriptedCall, startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { SOLANA_NETWORK } from '../../testing/solana/payment-bank.ts';
import { closeGate, openPaidApi, type PaidApi, startSolanaWorld } from '../../testing/x402/paid-world.ts';
import {
  encodePayment,
  insist,
  offerOf,
  payingFetch,
  readOutcome,
  receiptOf,
  type Signed,
  signPayment,
  solanaClient,
} from '../../testing/x402/pay-api.ts';
import { PRICE, setUpPaidApi } from '../../testing/x402/set-up-paid-api.ts';
import { startFacilitator } from '../../testing/x402/start-facilitator.ts';

const current = setUpPaidApi(startSolanaWorld);

const sign = async (at: PaidApi, payer: KeyPairSigner): Promise<Signed> => {
  const { world, body } = current();
  return signPayment(solanaClient(payer, world.bank.rpcUrl), offerOf(await at.post('/follow', body)));
};

test('both networks are offered at once, and the official client pays on Solana with a wallet that holds only dollars', async () => {
  const { world, api, body } = current();
  const payer = await world.bank.createPayer(PRICE);
  const before = await world.bank.balance(world.payTo);
  const offer = offerOf(await api.post('/follow', body));
  expect(offer.accepts).toMatchObject([
    {
      scheme: 'exact',
      network: SOLANA_NETWORK,
      amount: '100000',
      asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      payTo: world.payTo,
      extra: { feePayer: expect.any(String), memo: expect.any(String) },
    },
    { network: 'eip155:8453', amount: '100000' },
  ]);
  const response = await payingFetch(solanaClient(payer, world.bank.rpcUrl))(`${api.url}/follow`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ end: { reason: 'at_rest' } });
  expect(receiptOf(response)).toMatchObject({ success: true, network: SOLANA_NETWORK, payer: payer.address });
  expect(await world.bank.balance(payer.address)).toBe(0n);
  expect(await world.bank.balance(world.payTo)).toBe(before + PRICE);
});

test('one payment sent at once to two processes, and again, buys one answer', async () => {
  const { world, api, body } = current();
  await using two = await openPaidApi(world);
  const payer = await world.bank.createPayer(5n * PRICE);
  const { headers } = await sign(api, payer);
  const apis = [api, two, api, two];
  const answers = await Promise.all(
    apis.map(async (each) => readOutcome(await each.post('/follow', body, headers))),
  );
  expect(answers.filter((answer) => answer === '200')).toHaveLength(1);
  const again = async () => readOutcome(await two.post('/follow', body, headers));
  await expect.poll(again, PATIENCE).toContain('payment_already_used');
  expect(api.worked() + two.worked()).toBe(1);
  expect(await world.bank.balance(payer.address)).toBe(4n * PRICE);
});

test('a payment is bound to its request: sent with another one, or with the memo of another, it is refused', async () => {
  const { world, api, body } = current();
  const payer = await world.bank.createPayer(PRICE);
  const { headers, payload } = await sign(api, payer);
  const other = { ...body, max_hops: 3 };
  expect(await readOutcome(await api.post('/follow', other, headers))).toContain('wrong_request');
  // The terms of the other request, over a transaction that was signed for this one.
  const [accepted] = offerOf(await api.post('/follow', other)).accepts;
  const swapped = encodePayment({ ...payload, accepted });
  expect(await readOutcome(await api.post('/follow', other, swapped))).toContain('wrong_request');
  expect(api.worked()).toBe(0);
  expect((await api.post('/follow', body, headers)).status).toBe(200);
});

test('one memo, two transactions: a transfer to somebody else with the memo of the payment buys nothing', async () => {
  const { world, api, body } = current();
  const gate = closeGate(api);
  const payer = await world.bank.createPayer(2n * PRICE);
  const friend = await world.bank.createPayer(0n);
  const offer = offerOf(await api.post('/follow', body));
  const client = solanaClient(payer, world.bank.rpcUrl);
  const { headers } = await signPayment(client, offer);
  const send = () => api.post('/follow', body, headers);
  const pending = send();
  await expect.poll(() => api.worked(), PATIENCE).toBe(1);
  const [terms] = offer.accepts.map((each) => ({ ...each, payTo: friend.address }));
  if (terms === undefined) throw new Error('nothing is offered');
  const { payload } = await signPayment(client, { ...offer, accepts: [terms] });
  const settled = await new HTTPFacilitatorClient({ url: world.facilitator.url }).settle(payload, terms);
  expect(settled).toMatchObject({ success: true });
  world.facilitator.trouble('/settle', 'down');
  gate.open();
  expect(await readOutcome(await pending)).toBe('504 settlement_unknown');
  world.facilitator.trouble('/settle', 'none');
  await expect.poll(send, PATIENCE).toMatchObject({ status: 200 });
  expect(await world.bank.balance(payer.address)).toBe(0n);
});

test('a payment that another process of the facilitator has settled before is found on chain, though ours says it cannot be', async () => {
  const { world, api, body } = current();
  const gate = closeGate(api);
  const { bank } = world;
  const payer = await bank.createPayer(PRICE);
  const { headers, payload } = await sign(api, payer);
  const pending = api.post('/follow', body, headers);
  await expect.poll(() => api.worked(), PATIENCE).toBe(1);
  const solana = { network: SOLANA_NETWORK, rpcUrl: bank.rpcUrl, key: bank.facilitatorKey } as const;
  const { url } = await startFacilitator({ evm: null, solana });
  const settled = await new HTTPFacilitatorClient({ url }).settle(payload, payload.accepted);
  // A second transfer would fail.
  expect(await bank.balance(payer.address)).toBe(0n);
  gate.open();
  const response = await pending;
  expect([response.status, receiptOf(response).transaction]).toEqual([200, settled.transaction]);
});

test('a payment that another process of the facilitator has settled before has not failed because our node is away: it fetches its answer once the node is back', async () => {
  const { world, body } = current();
  const { bank } = world;
  let isAway = false;
  const node = await forwardingNode(bank.rpcUrl, () => (isAway ? { code: -32_000, message: 'away' } : null));
  const networks = world.networks.map((each) =>
    each.network === SOLANA_NETWORK ? { ...each, rpcUrl: node.url } : each,
  );
  await using api = await openPaidApi({ ...world, networks });
  const gate = closeGate(api);
  const payer = await bank.createPayer(PRICE);
  const { headers, payload } = await sign(api, payer);
  const pending = api.post('/follow', body, headers);
  await expect.poll(() => api.worked(), PATIENCE).toBe(1);
  const solana = { network: SOLANA_NETWORK, rpcUrl: bank.rpcUrl, key: bank.facilitatorKey } as const;
  const { url } = await startFacilitator({ evm: null, solana });
  const { transaction } = await new HTTPFacilitatorClient({ url }).settle(payload, payload.accepted);
  isAway = true;
  gate.open();
  expect(await readOutcome(await pending)).toBe('504 settlement_unknown');
  isAway = false;
  const fetched = await insist(() => api.post('/follow', body, headers));
  expect(receiptOf(fetched)).toMatchObject({ success: true, transaction });
});

test('a payment is found on chain, however many transactions its payer has sent since', async () => {
  const { world, api, body } = current();
  const payer = await world.bank.createPayer(6n * PRICE);
  const first = await sign(api, payer);
  const paid = await api.post('/follow', body, first.headers);
  const { transaction } = receiptOf(paid);
  for (let since = 1; since <= 5; since += 1) {
    const { headers } = await sign(api, payer);
    expect((await api.post('/follow', body, headers)).status).toBe(200);
  }
  const signed = { payload: first.payload, requirements: first.payload.accepted };
  const look = (limits: object) =>
    createSolanaChain(world.bank.rpcUrl, limits).look(signed, Date.now() - 600_000);
  expect(await look({ pageRows: 2 })).toEqual({ status: 'moved', transaction });
  await expect(look({ pageRows: 2, pagesMax: 2 })).rejects.toThrow('more transactions than were read');
  // Nor where the node lists fewer at once than it is asked for, and what is not found would have expired.
  world.bank.expireBlockhashes();
  world.bank.listsAtMost(3);
  const capped = await look({});
  world.bank.listsAtMost(1_000);
  expect(capped).toEqual({ status: 'moved', transaction });
});

test('a payment is found at a node that asks for a user and a password', async () => {
  const { world, api, body } = current();
  const payer = await world.bank.createPayer(PRICE);
  const { headers, payload } = await sign(api, payer);
  const { transaction } = receiptOf(await api.post('/follow', body, headers));
  const authorization = `Basic ${Buffer.from('spoor:50%').toString('base64')}`;
  const node = await forwardingNode(world.bank.rpcUrl, (_, given) =>
    given.authorization === authorization ? null : { code: -32_000, message: 'who are you?' },
  );
  const look = (url: string) =>
    createSolanaChain(url).look({ payload, requirements: payload.accepted }, Date.now() - 60_000);
  await expect(look(node.url)).rejects.toThrow();
  expect(await look(node.url.replace('://', '://spoor:50%25@'))).toEqual({ status: 'moved', transaction });
});

test('a newer transaction that bears the memo of a payment is not the payment, and ends no search for it', async () => {
  const { world, api, body } = current();
  const { headers, payload } = await sign(api, await world.bank.createPayer(PRICE));
  await api.post('/follow', body, headers);
  const node = await forwardingNode(world.bank.rpcUrl, ({ method }) =>
    method === 'getTransaction'
      ? { code: -32_015, message: 'Transaction version (1) is not supported' }
      : null,
  );
  const chain = createSolanaChain(node.url);
  const signed = { payload, requirements: payload.accepted };
  expect(await chain.look(signed, Date.now() - 60_000)).toEqual({ status: 'not_moved' });
});

test('a payment whose transaction failed on chain has not moved', async () => {
  const { world, api, body } = current();
  const { bank } = world;
  const payer = await bank.createPayer(PRICE);
  const [first, second] = [await sign(api, payer), await sign(api, payer)];
  expect((await api.post('/follow', body, first.headers)).status).toBe(200);
  // Sent as it is, by who does not ask before whether it can succeed.
  const wire = Buffer.from(String(second.payload.payload.transaction), 'base64');
  const keys = await createKeyPairFromBytes(Buffer.from(bank.facilitatorKey, 'base64'));
  const transaction = await signTransaction([keys], getTransactionDecoder().decode(wire));
  const encoding = { encoding: 'base64', skipPreflight: true } as const;
  await createSolanaRpc(bank.rpcUrl)
    .sendTransaction(getBase64EncodedWireTransaction(transaction), encoding)
    .send();
  const signed = { payload: second.payload, requirements: second.payload.accepted };
  expect(await createSolanaChain(bank.rpcUrl).look(signed, Date.now())).toEqual({
    status: 'cannot_move',
    reason: 'simulation_failed',
  });
});

test('a payment that a node does not know has expired once that node is past its lifetime, and not while it stands still', async () => {
  const { world, api } = current();
  const { payload } = await sign(api, await world.bank.createPayer(PRICE));
  const sinceUnixMs = Date.now() - 600_000;
  const slot = 4_711;
  const context = { slot, apiVersion: '2.0.0' };
  const lookAt = async (behindMs: number, listedTo = slot) => {
    const clock = Buffer.alloc(40);
    clock.writeBigInt64LE(BigInt(Math.floor((Date.now() - behindMs) / 1_000)), 32);
    const account = { data: [clock.toString('base64'), 'base64'], executable: false, lamports: 1, space: 40 };
    const answer = ({ method, params }: ScriptedCall) => {
      const asked = params[1] as { minContextSlot?: number };
      if (method === 'getAccountInfo') return { result: { context, value: account } };
      if (method === 'isBlockhashValid') return { result: { context, value: false } };
      return (asked.minContextSlot ?? 0) > listedTo
        ? { error: { code: -32_016, message: 'Minimum context slot has not been reached' } }
        : { result: [] };
    };
    const { url } = await startScriptedNode({ answer });
    return createSolanaChain(url).look({ payload, requirements: payload.accepted }, sinceUnixMs);
  };
  expect(await lookAt(0)).toEqual({ status: 'cannot_move', reason: 'payment_expired' });
  expect(await lookAt(600_000)).toEqual({ status: 'not_moved' });
  // Of two nodes behind one address the one that is asked for the transactions lags.
  await expect(lookAt(0, slot - 1)).rejects.toThrow();
});

test('an empty wallet is refused before any work', async () => {
  const { world, api, body } = current();
  const { headers } = await sign(api, await world.bank.createPayer(PRICE - 1n));
  expect(await readOutcome(await api.post('/follow', body, headers))).toContain('simulation_failed');
  expect(api.worked()).toBe(0);
});

describe('when time is short', () => {
  let quick: PaidApi;
  beforeAll(async () => {
    quick = await openPaidApi(current().world, { limits: { earlySettleMs: 100 } });
  });
  afterAll(() => quick[Symbol.asyncDispose]());
  beforeEach(() => quick.reset());

  test('work that runs on is settled meanwhile, and the answer given when it is done', async () => {
    const { world, body } = current();
    const gate = closeGate(quick);
    const payer = await world.bank.createPayer(PRICE);
    const pending = quick.post('/follow', body, (await sign(quick, payer)).headers);
    await expect.poll(() => world.bank.balance(payer.address), PATIENCE).toBe(0n);
    // The signature would be of no use any more.
    world.bank.expireBlockhashes();
    gate.open();
    const response = await pending;
    expect([response.status, receiptOf(response).success]).toEqual([200, true]);
  });

  test('work that was settled early goes on when its client is gone, and the same payment fetches the answer', async () => {
    const { world, body } = current();
    const gate = closeGate(quick);
    const payer = await world.bank.createPayer(PRICE);
    const { headers } = await sign(quick, payer);
    const send = (signal?: AbortSignal) =>
      fetch(`${quick.url}/follow`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      });
    const client = new AbortController();
    const lost = expect(send(client.signal)).rejects.toThrow();
    await expect.poll(() => world.bank.balance(payer.address), PATIENCE).toBe(0n);
    await expect.poll(async () => readOutcome(await send()), PATIENCE).toBe('504 settlement_unknown');
    client.abort();
    await lost;
    gate.open();
    const fetched = await insist(() => send());
    expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(receiptOf(fetched)).toMatchObject({ success: true });
    expect(await readOutcome(await send())).toContain('payment_already_used');
    expect(quick.worked()).toBe(1);
  });

  test('work that was settled early and fails then stays paid, and the answer says by which transaction', async () => {
    const { world, body } = current();
    const { promise, reject } = Promise.withResolvers<void>();
    quick.beforeWork(() => promise);
    const payer = await world.bank.createPayer(PRICE);
    const pending = quick.post('/follow', body, (await sign(quick, payer)).headers);
    await expect.poll(() => world.bank.balance(payer.address), PATIENCE).toBe(0n);
    reject(new Error('bug'));
    const response = await pending;
    expect(receiptOf(response)).toMatchObject({ success: true });
    expect(await readOutcome(response)).toBe('500 internal_error');
  });

  test('a settlement that is not confirmed is unknown, never failed; it is asked after until the chain answers', async () => {
    const { world, body } = current();
    await using impatient = await openPaidApi(world, { limits: { settleTimeoutMs: 4_000 } });
    const payer = await world.bank.createPayer(2n * PRICE);
    const { headers } = await sign(impatient, payer);
    const send = () => impatient.post('/follow', body, headers);
    world.bank.confirms(false);
    expect(await readOutcome(await send())).toBe('504 settlement_unknown');
    // The money has moved, which nobody can see yet.
    await expect.poll(() => world.bank.balance(payer.address), PATIENCE).toBe(PRICE);
    expect(await readOutcome(await send())).toBe('504 settlement_unknown');
    world.bank.confirms(true);
    const fetched = await insist(() => send());
    expect(await fetched.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(receiptOf(fetched)).toMatchObject({ success: true });
    expect(impatient.worked()).toBe(1);
    expect(await world.bank.balance(payer.address)).toBe(PRICE);
  });
});
