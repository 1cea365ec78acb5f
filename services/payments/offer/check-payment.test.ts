import { randomBytes } from 'node:crypto';
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

type Setting = {
  /** Whom the facilitator names as the payer of every payment, which it finds good. */
  readonly payer?: string | null;
  readonly isContract?: () => Promise<boolean>;
  readonly isValid?: boolean;
};

/** A process that is sent payments of a contract or of a key. */
const openCheck = async ({ payer = PAYER, isContract = async () => true, isValid = true }: Setting) => {
  let asked = 0;
  let nowUnixMs = NOW;
  const facilitator = {
    supported: async () => ({
      kinds: [{ x402Version: 2, scheme: 'exact' as const, network: NETWORK } as const],
      extensions: [],
      signers: {},
    }),
    verify: async () => {
      asked += 1;
      return isValid ? ({ isValid, payer } as const) : ({ isValid, reason: 'invalid_signature' } as const);
    },
    settle: never,
  };
  const clock = { nowUnixMs: () => nowUnixMs };
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
    chainOf: () => ({ ...toldChain(never), isContract }),
    onError: () => {},
  });
  const [accepted] = (await offers.make(REQUEST, null)).accepts as PaymentRequirements[];
  const send = (signature: string, changed: { to?: string; value?: string } = {}, from = '192.0.2.1') => {
    const authorization = {
      from: PAYER,
      to: US,
      value: '100000',
      validAfter: '0',
      validBefore: String(nowUnixMs / 1_000 + 60),
      nonce: `0x${randomBytes(32).toString('hex')}`,
      ...changed,
    };
    const sent = { x402Version: 2, accepted, payload: { signature, authorization } };
    return check(Buffer.from(JSON.stringify(sent)).toString('base64'), { ...REQUEST, from });
  };
  return {
    send,
    asked: () => asked,
    pass: (ms: number) => {
      nowUnixMs += ms;
    },
  };
};

const signatureOf = (bytes: number): string => `0x${'55'.repeat(bytes)}`;

test('a facilitator alone does not make a payment good: it has to bring us the price, and be its payer’s', async () => {
  const good = { status: 'good', payment: { wallet: `wallet:${NETWORK}:${PAYER}` } };
  const { send } = await openCheck({});
  expect(await send(signatureOf(65))).toMatchObject(good);
  expect(await send(signatureOf(65), { to: OTHER })).toEqual({ status: 'refused', reason: 'wrong_price' });
  expect(await send(signatureOf(65), { value: '99999' })).toEqual({
    status: 'refused',
    reason: 'wrong_price',
  });
  const other = await openCheck({ payer: OTHER });
  expect(await other.send(signatureOf(65))).toEqual({ status: 'refused', reason: 'invalid_signature' });
});

test.each([PAYER, `0x${PAYER.slice(2).toUpperCase()}`, null])(
  'the facilitator may name the payer as %s: it is who authorised the payment',
  async (payer) => {
    const { send } = await openCheck({ payer });
    expect(await send(signatureOf(640))).toMatchObject({
      status: 'good',
      payment: { wallet: `wallet:${NETWORK}:${PAYER}` },
    });
  },
);

// A deployed passkey wallet, and by ERC-6492 undeployed ones with one, two and many owners.
test.each([65, 640, 1_088, 1_216, 5_000])(
  'a contract’s signature of %i bytes is the facilitator’s to judge',
  async (bytes) => {
    const { send, asked } = await openCheck({});
    expect(await send(signatureOf(bytes))).toMatchObject({ status: 'good' });
    expect(asked()).toBe(1);
  },
);

test.each([
  ['is shorter than a key’s', signatureOf(64), 'payload.signature'],
  ['has half a byte', `${signatureOf(65)}5`, 'payload.signature'],
  ['has a letter that is no digit', `${signatureOf(65)}zz`, 'payload.signature'],
  ['is longer than the header may be', signatureOf(8_000), 'PAYMENT-SIGNATURE is too long'],
])('a signature that %s is refused unread, and the answer says where', async (_, signature, where) => {
  const { send, asked } = await openCheck({});
  await expect(send(signature)).rejects.toThrow(where);
  expect(asked()).toBe(0);
});

const HARD_TO_CHECK: readonly [string, number, () => Promise<boolean>][] = [
  ['longer than a key’s', 640, async () => true],
  ['by another key, of a contract', 65, async () => true],
  ['by another key, while the node is away', 65, () => Promise.reject(new Error('no node'))],
];
test.each(HARD_TO_CHECK)(
  'forged signatures %s reach the facilitator a few times a minute from one address, and others are not held up',
  async (_, bytes, isContract) => {
    const { send, asked, pass } = await openCheck({ isValid: false, isContract });
    const answers: string[] = [];
    for (let tries = 0; tries < 20; tries++) answers.push((await send(signatureOf(bytes))).status);
    expect(asked()).toBe(3);
    expect(answers.slice(3).every((status) => status === 'too_many')).toBe(true);
    expect(await send(signatureOf(bytes), {}, '192.0.2.2')).toMatchObject({ status: 'refused' });
    pass(60_000);
    for (let tries = 0; tries < 20; tries++) await send(signatureOf(bytes));
    expect(asked()).toBeLessThanOrEqual(7);
  },
);

test('a contract that pays is never told to wait for its signatures', async () => {
  const { send } = await openCheck({});
  for (let calls = 0; calls < 20; calls++)
    expect(await send(signatureOf(640))).toMatchObject({ status: 'good' });
});
