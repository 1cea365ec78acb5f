import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { expect, test } from 'vitest';
import { PaymentsUnavailableError } from '../book/payment-book.ts';
import { createMemoBinder } from './bind-request.ts';
import { createOffers, type PaidRequest } from './offers.ts';

const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const NETWORKS = [{ network: SOLANA, payTo: 'us', rpcUrl: '' }] as const;
const REQUEST: PaidRequest = {
  hash: 'request',
  url: 'https://spoor.example/follow',
  description: '',
  usdMicros: 150_000,
  discovery: { example: {}, schema: {} },
};

/** A process that was told this fee payer, for as long as its facilitator can be reached. */
const openProcess = (feePayer: string) => {
  let nowUnixMs = 1_700_000_000_000;
  let isReachable = true;
  let isSilent = false;
  let asked = 0;
  let hasTerms = true;
  const supported = async () => {
    asked += 1;
    if (isSilent) await new Promise(() => {});
    if (!isReachable) throw new PaymentsUnavailableError('the facilitator');
    const kinds = [{ x402Version: 2, scheme: 'exact', network: SOLANA, extra: { feePayer } } as const];
    return { kinds: hasTerms ? [...kinds] : [], extensions: [], signers: {} };
  };
  const never = () => Promise.reject(new Error('only terms are asked for here'));
  const offers = createOffers({
    facilitator: { supported, verify: never, settle: never },
    networks: NETWORKS,
    binder: createMemoBinder(Buffer.alloc(32, 1)),
    clock: { nowUnixMs: () => nowUnixMs },
  });
  return {
    ...offers,
    pass: (ms: number) => {
      nowUnixMs += ms;
    },
    asked: () => asked,
    silence: () => {
      isSilent = true;
    },
    reach: (to: boolean) => {
      isReachable = to;
    },
    offerTerms: (to: boolean) => {
      hasTerms = to;
    },
  };
};

const accept = ({ accepts: [offered] }: PaymentRequired, changed: object = {}) => {
  const accepted = { ...(offered as PaymentRequirements) };
  return { x402Version: 2, payload: {}, accepted: { ...accepted, extra: { ...accepted.extra, ...changed } } };
};

test('an offer of one process holds in another that was told another fee payer, and only as it was made', async () => {
  const [one, two] = [openProcess('payerOne'), openProcess('payerTwo')];
  const offer = await one.make(REQUEST, null);
  expect(offer.accepts).toMatchObject([{ amount: '150000', extra: { feePayer: 'payerOne' } }]);
  expect(await two.match(REQUEST, accept(offer))).toMatchObject({
    ok: true,
    issuedUnixMs: 1_700_000_000_000,
    requirements: { extra: { feePayer: 'payerOne' } },
  });
  const wrong = { ok: false, reason: 'wrong_request' };
  expect(await two.match(REQUEST, accept(offer, { feePayer: 'payerTwo' }))).toEqual(wrong);
  expect(await two.match({ ...REQUEST, hash: 'other' }, accept(offer))).toEqual(wrong);
  expect(await two.match({ ...REQUEST, usdMicros: 50_000 }, accept(offer))).toMatchObject({
    reason: 'wrong_price',
  });
});

test('while the facilitator is away its last terms are offered; without any there is no offer', async () => {
  const process = openProcess('payer');
  process.reach(false);
  await expect(process.make(REQUEST, null)).rejects.toThrow(PaymentsUnavailableError);
  process.reach(true);
  await process.make(REQUEST, null);
  process.reach(false);
  process.pass(3_600_000);
  expect((await process.make(REQUEST, 'payment_expired')).error).toMatch(
    /^payment_expired: .* costs \$0\.15\.$/,
  );
});

test('a facilitator that does not answer holds up nobody who can be offered its last terms, and is not asked again meanwhile', async () => {
  const process = openProcess('payer');
  await process.make(REQUEST, null);
  process.silence();
  for (let i = 0; i < 3; i += 1) {
    process.pass(3_600_000);
    expect((await process.make(REQUEST, null)).accepts).toMatchObject([{ amount: '150000' }]);
  }
  expect(process.asked()).toBe(2);
});

test('a facilitator that takes nothing is as good as away', async () => {
  const process = openProcess('payer');
  process.offerTerms(false);
  await expect(process.make(REQUEST, null)).rejects.toThrow(PaymentsUnavailableError);
  process.offerTerms(true);
  await process.make(REQUEST, null);
  process.offerTerms(false);
  process.pass(3_600_000);
  expect((await process.make(REQUEST, null)).accepts).toMatchObject([{ amount: '150000' }]);
});

// The test dollars of Circle: https://developers.circle.com/stablecoins/usdc-contract-addresses
test.each([
  ['eip155:84532', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', { name: 'USDC', version: '2' }],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', {}],
] as const)('on the test network %s the price is asked in its own dollars', async (network, asset, extra) => {
  const kinds = [{ x402Version: 2, scheme: 'exact', network, extra: { feePayer: 'somebody' } } as const];
  const never = () => Promise.reject(new Error('only terms are asked for here'));
  const offers = createOffers({
    facilitator: {
      supported: async () => ({ kinds: [...kinds], extensions: [], signers: {} }),
      ...{ verify: never, settle: never },
    },
    networks: [{ network, payTo: 'us', rpcUrl: '' }],
    binder: createMemoBinder(Buffer.alloc(32, 1)),
    clock: { nowUnixMs: () => 1_700_000_000_000 },
  });
  const { accepts } = await offers.make(REQUEST, null);
  expect(accepts).toMatchObject([{ network, asset, amount: '150000', extra }]);
});
