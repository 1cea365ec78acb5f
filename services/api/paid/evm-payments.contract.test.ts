import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVM_NETWORK } from '../../testing/evm/payment-chain.ts';
import {
  openPaidApi,
  type PaidWorld,
  startPaidWorld,
  WALLET_ADDRESS,
} from '../../testing/x402/paid-world.ts';
import { offerOf, payingFetch, receiptOf } from '../../testing/x402/pay-api.ts';

let world: PaidWorld;
beforeAll(async () => {
  world = await startPaidWorld();
});
afterAll(() => world.stop());

const BODY = { address: WALLET_ADDRESS, chain: 'ethereum' };

describe('paying for a call', () => {
  test('the official client asks, signs what it is asked for, and gets the answer and the transaction that paid', async () => {
    await using api = await openPaidApi(world);
    const payer = await world.chain.createPayer(100_000n);
    const before = await world.chain.balance(world.payTo);
    const response = await payingFetch(payer)(`${api.url}/follow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(BODY),
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ chain: 'ethereum', end: { reason: 'at_rest' } });
    expect(response.headers.get('cache-control')).toBe('no-store');
    const receipt = receiptOf(response);
    expect(receipt).toMatchObject({ success: true, network: EVM_NETWORK });
    const chainReceipt = await world.chain.node.ask('eth_getTransactionReceipt', receipt.transaction);
    expect(chainReceipt).toMatchObject({ status: '0x1' });
    expect(await world.chain.balance(payer.address)).toBe(0n);
    expect(await world.chain.balance(world.payTo)).toBe(before + 100_000n);
    expect(api.worked()).toBe(1);
  });

  test('without a payment it is asked for, in the words of the specification, and nothing is done', async () => {
    await using api = await openPaidApi(world);
    const response = await api.post('/follow', BODY);
    expect(response.status).toBe(402);
    expect(await response.json()).toMatchObject({ code: 'payment_required' });
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
    expect(api.worked()).toBe(0);
  });
});
