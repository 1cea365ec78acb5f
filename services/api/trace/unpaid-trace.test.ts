import type { PaymentRequirements } from '@x402/core/types';
import { expect, test } from 'vitest';
import { Directory } from '../../accounts/directory.ts';
import type { PaymentBook } from '../../payments/book/payment-book.ts';
import { initialState } from '../../payments/decider/state.ts';
import type { Verification } from '../../payments/facilitator.ts';
import { LIMITS } from '../../payments/limits.ts';
import { createMemoBinder } from '../../payments/offer/bind-request.ts';
import { createOffers } from '../../payments/offer/offers.ts';
import { createPayments } from '../../payments/take-payment.ts';
import { createMemoryLedger } from '../../testing/memory/memory-ledger.ts';
import { startApi } from '../../testing/start-api.ts';
import { ANN, askForNote, BEA, hash, NOW, notingReads, readNote } from '../../testing/traced-note.ts';
import { encodePayment, offerOf } from '../../testing/x402/pay-api.ts';
import { toldChain } from '../../testing/x402/told-chain.ts';

const NETWORK = 'eip155:8453';
const US = `0x${'2'.repeat(40)}`;

const never = (): never => {
  throw new Error('nobody is to be asked');
};

/** A service whose facilitator finds every signature wrong, unless told otherwise. `ask` also says what was looked up. */
const open = async (
  verification: Verification = { isValid: false, reason: 'invalid_signature' },
  /** Whether wallets are contracts, of which nobody but a node can say what they have signed. */
  areContracts = true,
) => {
  const asked: string[] = [];
  const clock = { nowUnixMs: () => NOW * 1_000 };
  const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORK } as const];
  const facilitator = notingReads(
    {
      supported: async () => ({ kinds: [...kinds], extensions: [], signers: {} }),
      verify: async () => verification,
      settle: never,
    },
    asked,
  );
  const payments = createPayments({
    ...{
      facilitator,
      clock,
      limits: LIMITS,
      chainOf: () => ({ ...toldChain(never), isContract: async () => areContracts }),
      onError: never,
    },
    book: { state: initialState(), record: never } as never as PaymentBook,
    answers: { keep: never, fetch: never },
    offers: createOffers({
      ...{ facilitator, clock, binder: createMemoBinder(Buffer.alloc(32, 1)) },
      networks: [{ network: NETWORK, payTo: US, rpcUrl: '' }],
    }),
  });
  const ledger = createMemoryLedger(clock);
  const billing = {
    ...{ ledger, directory: new Directory() },
    ...{ isOpen: () => false, payments },
  };
  const traceReader = notingReads(readNote(), asked);
  const api = await startApi({ traceReader, clock, billing });
  return {
    ledger,
    ask: async (body: object, headers: Readonly<Record<string, string>> = {}) => {
      asked.length = 0;
      const response = await api.post('/trace', body, headers);
      const { code } = (await response.clone().json()) as { code: string };
      return { response, code, asked: [...asked].sort() };
    },
    [Symbol.asyncDispose]: () => api.close({ graceMs: 0 }),
  };
};

/** Well written, and signed by nobody. */
const forge = (accepted: PaymentRequirements | undefined, changed: object = {}) => {
  const authorization = {
    ...{ from: ANN, to: US, value: accepted?.amount, nonce: hash('1') },
    ...{ validAfter: '0', validBefore: String(NOW + 60) },
    ...changed,
  };
  const payload = { signature: `0x${'11'.repeat(65)}`, authorization };
  return encodePayment({ x402Version: 2, accepted, payload });
};

test.each(['x', 'e30=', Buffer.from('{"x402Version":2}').toString('base64')])(
  'a payment that cannot be read is refused before anything is looked up: %s',
  async (payment) => {
    await using service = await open();
    const { response, code, asked } = await service.ask(askForNote, { 'payment-signature': payment });
    expect({ status: response.status, code, asked }).toEqual({
      ...{ status: 400, code: 'invalid_payment' },
      asked: [],
    });
  },
);

test('a payment that anybody can write asks nothing of the tables, nor does asking for the price', async () => {
  await using service = await open();
  const unpaid = await service.ask(askForNote);
  expect([unpaid.response.status, unpaid.code]).toEqual([402, 'payment_required']);
  expect(unpaid.asked).toEqual(['supported']);
  const [accepted] = offerOf(unpaid.response).accepts;
  for (const payment of [
    forge(accepted, { to: BEA }),
    forge(accepted, { value: '1' }),
    forge(accepted, { validBefore: String(NOW - 1) }),
  ])
    expect(await service.ask(askForNote, payment)).toMatchObject({ code: 'payment_required', asked: [] });
  const forged = await service.ask(askForNote, forge(accepted));
  expect(offerOf(forged.response).error).toMatch(/^invalid_signature/);
  expect(forged.asked).toEqual(['verify']);
});

test('nobody is asked about a payment that its wallet has not signed', async () => {
  await using service = await open(undefined, false);
  const [accepted] = offerOf((await service.ask(askForNote)).response).accepts;
  const { response, asked } = await service.ask(askForNote, forge(accepted));
  expect(offerOf(response).error).toMatch(/^invalid_signature/);
  expect(asked).toEqual([]);
});

test('of payments whose signature cannot be checked here three are asked about, and then their sender is told to wait', async () => {
  await using service = await open();
  const [accepted] = offerOf((await service.ask(askForNote)).response).accepts;
  const answers = [];
  for (let i = 0; i < 10; i += 1)
    answers.push(await service.ask(askForNote, forge(accepted, { nonce: hash(i.toString(16)) })));
  expect(answers.filter(({ asked }) => asked.includes('verify'))).toHaveLength(3);
  expect(answers.at(-1)).toMatchObject({ code: 'too_many_calls' });
  expect(Number(answers.at(-1)?.response.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('of a wallet whose three calls are running another one asks nothing of the tables, however many payments it signs', async () => {
  await using service = await open({ isValid: true, payer: ANN });
  for (const callId of ['1', '2', '3']) {
    const call = { callId, tariff: 'trace', keyId: null, deadlineUnixMs: NOW * 1_000 + 60_000 } as const;
    await service.ledger.submit(`wallet:${NETWORK}:${ANN}`, { type: 'ReserveCall', ...call });
  }
  const unpaid = await service.ask(askForNote);
  const [accepted] = offerOf(unpaid.response).accepts;
  for (const nonce of ['1', '2', '3', '4', '5']) {
    const { code, asked } = await service.ask(askForNote, forge(accepted, { nonce: hash(nonce) }));
    expect({ code, asked }).toEqual({ code: 'too_many_calls', asked: ['verify'] });
  }
});

test('who has not paid is told the price alike for a service, for what is none and for what nobody knows', async () => {
  await using service = await open();
  const [accepted] = offerOf((await service.ask(askForNote)).response).accepts;
  for (const payment of [{}, forge(accepted)])
    for (const counterparty of [askForNote.counterparty, BEA, `0x${'7'.repeat(40)}`]) {
      const { response, code, asked } = await service.ask({ ...askForNote, counterparty }, payment);
      expect([response.status, code]).toEqual([402, 'payment_required']);
      expect(asked.filter((name) => name !== 'verify')).toEqual([]);
    }
});

test('who asks and never pays is told to wait, and who pays does not count', async () => {
  await using service = await open();
  const answers = [];
  for (let i = 0; i < 200; i += 1) answers.push(await service.ask(askForNote));
  const told = answers.map(({ response }) => response.status);
  expect(told.filter((status) => status === 402)).toHaveLength(120);
  expect(told.indexOf(429)).toBe(120);
  expect(answers.at(-1)).toMatchObject({ code: 'too_many_calls', asked: [] });
  expect(Number(answers.at(-1)?.response.headers.get('retry-after'))).toBeGreaterThan(0);
  // Another caller behind the same proxy is not held up by it.
  const other = await service.ask(askForNote, { 'x-forwarded-for': '203.0.113.7' });
  expect(other.code).toBe('payment_required');
});
