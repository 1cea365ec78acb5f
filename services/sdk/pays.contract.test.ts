import { expect, test } from 'vitest';
import { evmClient, payingFetch } from '../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../testing/x402/set-up-paid-api.ts';
import { createSpoor, type FollowBody } from './create-spoor.ts';

const current = setUpEvmPayments();

test('with a payer in place of a key each question is paid for by x402, once', async () => {
  const { world, api, body, balances } = current();
  const payer = await world.chain.createPayer(2n * PRICE);
  const spoor = createSpoor({ url: api.url, fetch: payingFetch(evmClient(payer)) });
  expect(await spoor.follow(body as FollowBody)).toMatchObject({ chain: 'ethereum', end: {} });
  expect((await balances(payer)).payer).toBe(PRICE);
  expect(api.worked()).toBe(1);
});

test('a payer whose wallet is empty gets the refusal of the service', async () => {
  const { world, api, body } = current();
  const payer = await world.chain.createPayer(0n);
  const spoor = createSpoor({ url: api.url, fetch: payingFetch(evmClient(payer)) });
  await expect(spoor.follow(body as FollowBody)).rejects.toMatchObject({
    status: 402,
    code: 'payment_required',
  });
  expect(api.worked()).toBe(0);
});
