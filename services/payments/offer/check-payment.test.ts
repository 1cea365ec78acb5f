import type { PaymentRequirements } from '@x402/core/types';
import { expect, test } from 'vitest';
import { toldChain } from '../../testing/x402/told-chain.ts';
import type { PaymentBook } from '../book/payment-book.ts';
import { initialState } from '../decider/state.ts';
import { createMemoBinder } from './bind-request.ts';
import { createCheckPayment } from './check-payment.ts';
import { createOffers, type PaidRequest } from './offers.ts';

const NETWORK = 'eip155:8453';
const US = `0x${'11'.repeat(20)}`;
const PAYER = `0x${'22'.repeat(20)}`;
const OTHER = `0x${'33'.repeat(20)}`;
const NOW = 1_700_000_000_000;
const REQUEST: PaidRequest = {
  hash: 'request',
  url: 'https://spoor.example/follow',
  description: '',
  usdMicros: 100_000,
  discovery: { example: {}, schema: {} },
};

const never = (): never => {
  throw new Error('nobody is to be asked');
};

/** What is said of a payment by this process, whose facilitator finds every payment good and names this payer. */
const checkWith = async (payer: string, changed: { to?: string; value?: string } = {}) => {
  const supported = async () => ({
    kinds: [{ x402Version: 2, scheme: 'exact' as const, network: NETWORK } as const],
    extensions: [],
    signers: {},
  });
  const facilitator = {
    supported,
    verify: async () => ({ isValid: true, payer }) as const,
    settle: never,
  };
  const clock = { nowUnixMs: () => NOW };
  const networks = [{ network: NETWORK, payTo: US, rpcUrl: '' }] as const;
  const binder = createMemoBinder(Buffer.alloc(32, 1));
  const offers = createOffers({ facilitator, networks, binder, clock });
  const check = createCheckPayment({
    book: { state: initialState() } as PaymentBook,
    facilitator,
    offers,
    answers: { keep: never, fetch: never },
    handOver: { stateOf: never, confirm: never },
    clock,
    chainOf: () => ({ ...toldChain(never), isContract: async () => true }),
    onError: never,
  });
  const [accepted] = (await offers.make(REQUEST, null)).accepts as PaymentRequirements[];
  const authorization = {
    from: PAYER,
    to: US,
    value: '100000',
    validAfter: '0',
    validBefore: String(NOW / 1_000 + 60),
    nonce: `0x${'44'.repeat(32)}`,
    ...changed,
  };
  const payload = { signature: `0x${'55'.repeat(65)}`, authorization };
  const sent = { x402Version: 2, accepted, payload };
  return check(Buffer.from(JSON.stringify(sent)).toString('base64'), REQUEST);
};

test('a facilitator alone does not make a payment good: it has to bring us the price, and be its payer’s', async () => {
  expect(await checkWith(PAYER)).toMatchObject({
    status: 'good',
    payment: { wallet: `wallet:${NETWORK}:${PAYER}` },
  });
  expect(await checkWith(PAYER, { to: OTHER })).toEqual({ status: 'refused', reason: 'wrong_price' });
  expect(await checkWith(PAYER, { value: '99999' })).toEqual({ status: 'refused', reason: 'wrong_price' });
  expect(await checkWith(OTHER)).toEqual({ status: 'refused', reason: 'invalid_signature' });
});
