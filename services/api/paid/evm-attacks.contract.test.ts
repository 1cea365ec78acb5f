import type { Hex } from 'viem';
import { describe, expect, test } from 'vitest';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { systemClock } from '../../platform/clock.ts';
import { EVM_NETWORK } from '../../testing/evm/payment-chain.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { closeGate, openPaidApi } from '../../testing/x402/paid-world.ts';
import { readOutcome, receiptOf } from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

describe('published attacks', () => {
  test('one payment, many grants: sent at once to two processes it runs the work once and buys one answer', async () => {
    const { world, api, body, sign, balances } = current();
    await using two = await openPaidApi(world);
    const payer = await world.chain.createPayer(10n * PRICE);
    const { headers } = await sign(api, payer);
    const settled = world.facilitator.asked['/settle'];
    const apis = [api, two, api, two, api, two];
    const answers = await Promise.all(
      apis.map(async (each) => readOutcome(await each.post('/follow', body, headers))),
    );
    expect(answers.filter((answer) => answer === '200')).toHaveLength(1);
    const refused = /^(402 payment_required payment_already_used|429 too_many_calls|504 settlement_unknown)$/;
    expect(answers.filter((answer) => refused.test(answer))).toHaveLength(5);
    expect(api.worked() + two.worked()).toBe(1);
    expect(world.facilitator.asked['/settle'] - settled).toBe(1);
    expect((await balances(payer)).payer).toBe(9n * PRICE);
  });

  test('duplicate-settlement race: sent again while it is being settled it is refused', async () => {
    const { world, api, body, sign } = current();
    const gate = closeGate(api);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    const first = api.post('/follow', body, headers);
    await expect.poll(() => api.worked(), PATIENCE).toBe(1);
    expect(await readOutcome(await api.post('/follow', body, headers))).toContain('payment_already_used');
    gate.open();
    expect((await first).status).toBe(200);
  });

  test('replay after a restart and to another process: what was spent stays spent', async () => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(2n * PRICE);
    let headers: Record<string, string>;
    {
      await using before = await openPaidApi(world);
      ({ headers } = await sign(before, payer));
      expect((await before.post('/follow', body, headers)).status).toBe(200);
    }
    await using after = await openPaidApi(world);
    for (const each of [after, api]) {
      const send = async () => readOutcome(await each.post('/follow', body, headers));
      await expect.poll(send, PATIENCE).toContain('payment_already_used');
      expect(each.worked()).toBe(0);
    }
  });

  test('cross-resource substitution: a payment claimed for one request never buys another', async () => {
    const { world, api, body, otherBody, sign } = current();
    let fails = true;
    const onWork = async (): Promise<void> => {
      if (fails) throw new Error('bug');
    };
    api.beforeWork(onWork);
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(api, payer);
    expect((await api.post('/follow', body, headers)).status).toBe(500);
    fails = false;
    expect(await readOutcome(await api.post('/follow', otherBody, headers))).toContain(
      'payment_already_used',
    );
    expect((await api.post('/follow', body, headers)).status).toBe(200);
    expect(await readOutcome(await api.post('/follow', otherBody, headers))).toContain(
      'payment_already_used',
    );
    expect(api.worked()).toBe(2);
  });

  test('claims for nothing: one that cannot count leaves neither an event of the payment nor one of the ledger, which are kept for ever', async () => {
    const { world, body, sign } = current();
    const memory = createMemoryLedger(systemClock);
    let asked = 0;
    const submit: Ledger['submit'] = (...command) => {
      asked += 1;
      return memory.submit(...command);
    };
    const alone = { ...world, folder: temporaryFolder() };
    await using api = await openPaidApi(alone, { ledger: { ...memory, submit } });
    api.beforeWork(async () => {
      throw new Error('bug');
    });
    const { headers } = await sign(api, await world.chain.createPayer(PRICE));
    expect((await api.post('/follow', body, headers)).status).toBe(500);
    const written = async () => [asked, await api.log.ranges('payments')];
    const before = await written();
    for (let i = 1; i <= 5; i++) {
      const other = { ...body, since: body.since + i * 1_000 };
      const outcome = await readOutcome(await api.post('/follow', other, headers));
      expect(outcome).toBe('402 payment_required payment_already_used');
    }
    expect(await written()).toEqual(before);
  });

  test('revert after grant: money gone before the settlement holds the result back, until somebody pays for it', async () => {
    const { world, api, body, sign, balances } = current();
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
    expect(await readOutcome(failed)).toBe('402 settlement_failed insufficient_funds');
    const honest = await world.chain.createPayer(PRICE);
    const paid = await api.post('/follow', body, (await sign(api, honest)).headers);
    expect(await paid.json()).toMatchObject({ end: { reason: 'at_rest' } });
    expect(api.worked()).toBe(1);
    expect((await balances(honest)).payer).toBe(0n);
  });

  test('denial of settlement: who takes authorisations back gets nothing, and after three times not even work', async () => {
    const { world, api, body, sign, balances } = current();
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
      expect(await readOutcome(await pending)).toBe('402 settlement_failed payment_already_used');
    }
    const { headers } = await sign(api, payer);
    expect(await readOutcome(await api.post('/follow', body, headers))).toContain(
      'too_many_failed_settlements',
    );
    expect(api.worked()).toBe(3);
    expect((await balances(payer)).payer).toBe(PRICE);
  });

  test.each(['by itself', 'beside a transfer of the price to us'])(
    'one nonce, many authorisations: the nonce of a payment, spent on another transfer %s, buys nothing',
    async (how) => {
      const { world, api, body, sign } = current();
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
      expect(await readOutcome(await pending)).toBe('402 settlement_failed payment_already_used');
    },
  );

  test('cache leak: what one has paid for, nobody gets unpaid or by the payment of another call', async () => {
    const { world, api, body, sign } = current();
    const payer = await world.chain.createPayer(2n * PRICE);
    const first = await sign(api, payer);
    const paid = await api.post('/follow', body, first.headers);
    expect([paid.status, paid.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await readOutcome(await api.post('/follow', body))).toBe('402 payment_required payment_required');
    const replayed = await api.post('/follow', body, first.headers);
    expect(replayed.headers.get('cache-control')).toBe('no-store');
    expect(await readOutcome(replayed)).toContain('payment_already_used');
    expect((await api.post('/follow', body, (await sign(api, payer)).headers)).status).toBe(200);
    expect(api.worked()).toBe(2);
  });

  test('a wallet runs at most three calls at once', async () => {
    const { world, api, body, sign } = current();
    const gate = closeGate(api);
    const payer = await world.chain.createPayer(4n * PRICE);
    const running = [1, 2, 3].map(async () => api.post('/follow', body, (await sign(api, payer)).headers));
    await expect.poll(() => api.worked(), PATIENCE).toBe(3);
    const fourth = await sign(api, payer);
    expect(await readOutcome(await api.post('/follow', body, fourth.headers))).toBe('429 too_many_calls');
    gate.open();
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
    expect((await api.post('/follow', body, fourth.headers)).status).toBe(200);
  });

  test('a place that the ledger gave to a wallet without saying so is given back', async () => {
    const { world, body, sign } = current();
    const memory = createMemoryLedger(systemClock);
    const submit: Ledger['submit'] = async (payer, command) => {
      const answer = await memory.submit(payer, command);
      if (command.type === 'ReserveCall') throw new LedgerUnavailableError();
      return answer;
    };
    await using lossy = await openPaidApi(world, { ledger: { ...memory, submit } });
    const payer = await world.chain.createPayer(PRICE);
    const { headers } = await sign(lossy, payer);
    expect(await readOutcome(await lossy.post('/follow', body, headers))).toBe('503 unavailable');
    const wallet = `wallet:${EVM_NETWORK}:${payer.address.toLowerCase()}` as const;
    await expect.poll(() => memory.balance(wallet).openCalls, PATIENCE).toBe(0);
  });
});

// Last: it may leave the facilitator with a transaction that waits for another.
describe('a published attack on the order of nonces', () => {
  test('allowance overdraft: of three payments at once with money for one, one answer is given away', async () => {
    const { world, body, sign, balances } = current();
    await using quick = await openPaidApi(world, { limits: { settleTimeoutMs: 3_000 } });
    const gate = closeGate(quick);
    const payer = await world.chain.createPayer(PRICE);
    const requests = [1, 2, 3].map((hops) => ({ ...body, max_hops: hops }));
    const signed = await Promise.all(requests.map((request) => sign(quick, payer, request)));
    const send = async (i: number) =>
      readOutcome(await quick.post('/follow', requests[i] ?? {}, signed[i]?.headers));
    const pending = requests.map((_, i) => send(i));
    await expect.poll(() => quick.worked(), PATIENCE).toBe(3);
    gate.open();
    const answers = await Promise.all(pending);
    // The one that was settled may not have been told so in time: it is asked for again.
    const given = async () => {
      for (const [i, answer] of answers.entries()) if (answer.startsWith('504')) answers[i] = await send(i);
      return answers.filter((answer) => answer === '200');
    };
    await expect.poll(given, PATIENCE).toHaveLength(1);
    // A facilitator that took a nonce for a transfer it could not send sits on the one behind it: that is not known then.
    const held =
      /^(402 settlement_failed insufficient_funds|402 settlement_failed simulation_failed|504 settlement_unknown)$/;
    expect(answers.filter((answer) => held.test(answer))).toHaveLength(2);
    expect((await balances(payer)).payer).toBe(0n);
  });
});
