import type { PrivateKeyAccount } from 'viem';
import { describe, expect, test } from 'vitest';
import { type Ledger, LedgerUnavailableError } from '../../credits/ledger.ts';
import { openPaymentCodec } from '../../payments/book/payment-codec.ts';
import { systemClock } from '../../platform/clock.ts';
import { EVM_NETWORK } from '../../testing/evm/payment-chain.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openPaidApi, type PaidApi } from '../../testing/x402/paid-world.ts';
import {
  evmClient,
  offerOf,
  payingFetch,
  readOutcome,
  type Signed,
  signPayment,
} from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

const creditsOf = (response: Response): object =>
  JSON.parse(response.headers.get('x-service-credits') ?? '{}');

describe('credits bought by the pack', () => {
  const signIn = async (at: PaidApi, wallet: PrivateKeyAccount): Promise<Record<string, string>> => {
    const challenge = await at.post('/account/challenge', { address: wallet.address });
    const { message } = (await challenge.json()) as { message: string };
    const signature = await wallet.signMessage({ message });
    const session = await at.post('/account/session', { message, signature });
    return { cookie: (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  };

  const countClaims = async ({ log, registry }: PaidApi): Promise<number> => {
    const codec = await openPaymentCodec(registry);
    let claims = 0;
    for (const { partition, begin, end } of await log.ranges('payments'))
      for (let offset = begin; offset < end; offset += 1) {
        const [record] = await log.read({ topic: 'payments', partition, offset, until: end, maxBytes: 1 });
        if (record && codec.decode(record.value).event.type === 'PaymentClaimed') claims += 1;
      }
    return claims;
  };

  test('by the official client: a dollar is twenty, in the account that is signed in', async () => {
    const { world, body, sign, balances } = current();
    await using shop = await openPaidApi(world, { signsIn: true });
    const payer = await world.chain.createPayer(1_000_000n);
    const cookie = await signIn(shop, payer);
    expect(await readOutcome(await shop.post('/account/packs', { credits: 20 }))).toBe('401 unauthorized');
    expect(await readOutcome(await shop.post('/account/packs', { credits: 0.5 }, cookie))).toBe(
      '400 invalid_request',
    );
    const response = await payingFetch(evmClient(payer))(`${shop.url}/account/packs`, {
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
    expect(await readOutcome(wrong)).toBe('401 unauthorized');
    expect((await balances(other)).payer).toBe(PRICE);
  });

  test('a payment that two accounts send at once buys them for one, and opens no account for the other', async () => {
    const { world } = current();
    await using shop = await openPaidApi({ ...world, folder: temporaryFolder() }, { signsIn: true });
    const payer = await world.chain.createPayer(500_000n);
    const cookies = [await signIn(shop, payer), await signIn(shop, await world.chain.createPayer(1n))];
    const offer = offerOf(await shop.post('/account/packs', { credits: 10 }, cookies[0]));
    const { headers } = await signPayment(evmClient(payer), offer);
    const buy = (cookie: object) => shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    const bought = await Promise.all(cookies.map(buy));
    expect(bought.map(({ status }) => status).sort()).toEqual([200, 402]);
    const [opened] = await shop.log.ranges('accounts');
    expect(opened).toMatchObject({ begin: 0, end: 1 });
  });

  test('a wallet whose three calls are running buys none beside them', async () => {
    const { world } = current();
    const ledger = createMemoryLedger(systemClock);
    const alone = { ...world, folder: temporaryFolder() };
    await using shop = await openPaidApi(alone, { signsIn: true, ledger });
    const payer = await world.chain.createPayer(50_000n);
    const cookie = await signIn(shop, payer);
    const wallet = `wallet:${EVM_NETWORK}:${payer.address.toLowerCase()}` as const;
    const callIds = ['1', '2', '3'];
    for (const callId of callIds) {
      const call = { callId, tariff: 'follow', keyId: null, deadlineUnixMs: Date.now() + 60_000 } as const;
      await ledger.submit(wallet, { type: 'ReserveCall', ...call });
    }
    const offer = offerOf(await shop.post('/account/packs', { credits: 1 }, cookie));
    const { headers } = await signPayment(evmClient(payer), offer);
    const buy = () => shop.post('/account/packs', { credits: 1 }, { ...cookie, ...headers });
    expect(await readOutcome(await buy())).toBe('429 too_many_calls');
    expect(await countClaims(shop)).toBe(0);
    for (const callId of callIds) await ledger.submit(wallet, { type: 'VoidCall', callId, reason: 'failed' });
    expect(await (await buy()).json()).toEqual({ credits_bought: 1, pack_credits: 1 });
    expect(ledger.balance(wallet).openCalls).toBe(0);
  });

  test('of one wallet that cannot pay no more payments are taken than may fail, however many are sent at once', async () => {
    const { world } = current();
    await using shop = await openPaidApi({ ...world, folder: temporaryFolder() }, { signsIn: true });
    const payer = await world.chain.createPayer(50_000n);
    const cookie = await signIn(shop, payer);
    const offer = offerOf(await shop.post('/account/packs', { credits: 1 }, cookie));
    const signed = await Promise.all(Array.from({ length: 20 }, () => signPayment(evmClient(payer), offer)));
    const buy = ({ headers }: Signed) =>
      shop.post('/account/packs', { credits: 1 }, { ...cookie, ...headers });
    const statuses = (await Promise.all(signed.map(buy))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    // Three are under way at once, and after the one that is paid three may fail.
    expect(await countClaims(shop)).toBeLessThanOrEqual(6);
  });

  test('that a facilitator says were paid for are given when the chain shows it, and once', async () => {
    const { world } = current();
    const memory = createMemoryLedger(systemClock);
    const alone = { ...world, folder: temporaryFolder() };
    await using shop = await openPaidApi(alone, { signsIn: true, ledger: memory });
    const payer = await world.chain.createPayer(500_000n);
    const cookie = await signIn(shop, payer);
    const offer = offerOf(await shop.post('/account/packs', { credits: 10 }, cookie));
    const { headers } = await signPayment(evmClient(payer), offer);
    const buy = () => shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    world.facilitator.trouble('/settle', 'lies');
    expect(await readOutcome(await buy())).toBe('504 settlement_unknown');
    expect(await readOutcome(await buy())).toBe('504 settlement_unknown');
    const credits = async (): Promise<number> => {
      const account = await fetch(`${shop.url}/account`, { headers: cookie });
      return ((await account.json()) as { pack_credits: number }).pack_credits;
    };
    expect([await credits(), await world.chain.balance(payer.address)]).toEqual([0, 500_000n]);
    world.facilitator.trouble('/settle', 'none');
    await expect.poll(credits, PATIENCE).toBe(10);
    expect(await readOutcome(await buy())).not.toContain('504');
    expect(await credits()).toBe(10);
    expect(await world.chain.balance(payer.address)).toBe(0n);
  });

  test('settled and not given, because the ledger was away, they are given later, and once', async () => {
    const { world } = current();
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
    const { headers } = await signPayment(evmClient(payer), offer);
    const response = await shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    expect(await response.json()).toEqual({ credits_bought: 10, pack_credits: null });
    isAway = false;
    await expect.poll(() => given, PATIENCE).toBe(1);
    const account = (await (await fetch(`${shop.url}/account`, { headers: cookie })).json()) as object;
    expect(account).toMatchObject({ pack_credits: 10 });
    const again = await shop.post('/account/packs', { credits: 10 }, { ...cookie, ...headers });
    expect(await readOutcome(again)).toContain('payment_already_used');
  });
});
