import { expect, test } from 'vitest';
import { createSmartWallet } from '../../testing/evm/smart-wallet.ts';
import {
  evmClient,
  offerOf,
  payingFetch,
  readOutcome,
  receiptOf,
  signPayment,
} from '../../testing/x402/pay-api.ts';
import { PRICE, setUpEvmPayments } from '../../testing/x402/set-up-paid-api.ts';

const current = setUpEvmPayments();

test.each(['not deployed yet (ERC-6492)', 'deployed (ERC-1271)'])(
  'a wallet that is a contract, %s, pays by the official client and facilitator, once',
  async (state) => {
    const { world, api, body } = current();
    const { node, mint, balance } = world.chain;
    const wallet = await createSmartWallet(node);
    if (state.startsWith('deployed')) await wallet.deploy();
    await mint(wallet.address, 2n * PRICE);
    const response = await payingFetch(evmClient(wallet))(`${api.url}/follow`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(receiptOf(response)).toMatchObject({ success: true, payer: wallet.address.toLowerCase() });
    expect(await balance(wallet.address)).toBe(PRICE);
    expect(await node.ask('eth_getCode', wallet.address, 'latest')).not.toBe('0x');
    expect(api.worked()).toBe(1);
  },
);

test('one wallet’s signature does not pay for another', async () => {
  const { world, api, body } = current();
  const [payer, thief] = [
    await createSmartWallet(world.chain.node),
    await createSmartWallet(world.chain.node),
  ];
  await world.chain.mint(payer.address, PRICE);
  const forger = { ...thief, address: payer.address };
  const { headers } = await signPayment(evmClient(forger), offerOf(await api.post('/follow', body)));
  expect(await readOutcome(await api.post('/follow', body, headers))).toContain('402 payment_required');
  expect(await world.chain.balance(payer.address)).toBe(PRICE);
  expect(api.worked()).toBe(0);
});
