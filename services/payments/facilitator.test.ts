import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENCE } from '../testing/patience.ts';
import { PaymentsUnavailableError } from './book/payment-book.ts';
import { createFacilitator } from './facilitator.ts';
import { LIMITS } from './limits.ts';

const TERMS = {
  kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453' }],
  extensions: [],
  signers: {},
};

/** A facilitator that answers as it is told to. */
const serve = async (answer: (response: ServerResponse) => void, limits: Partial<typeof LIMITS> = {}) => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const facilitator = createFacilitator({ url, limits: { ...LIMITS, ...limits }, onError: () => {} });
  return { facilitator, url, asked: () => asked };
};

test('while it has not answered what it takes it is not asked again, by however many who want to know', async () => {
  const waiting: ServerResponse[] = [];
  const { facilitator, asked } = await serve((response) => void waiting.push(response));
  const early = Array.from({ length: 5 }, () => facilitator.supported());
  await expect.poll(asked, PATIENCE).toBe(1);
  const late = Array.from({ length: 5 }, () => facilitator.supported());
  // Another question takes the same way, so that one more of the first would have come by then.
  const payment = { payload: {}, requirements: {} } as Parameters<typeof facilitator.verify>[0];
  const verifying = facilitator.verify(payment).catch(() => null);
  await expect.poll(asked, PATIENCE).toBe(2);
  for (const response of waiting)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(TERMS));
  await verifying;
  for (const answer of await Promise.all([...early, ...late])) expect(answer).toEqual(TERMS);
  expect(asked()).toBe(2);
});

test('one that wants to be asked later is away until then, and nobody waits for that', async () => {
  const busy = (response: ServerResponse) => void response.writeHead(429, { 'retry-after': '30' }).end('{}');
  const { facilitator } = await serve(busy, { askTimeoutMs: 200 });
  await expect(facilitator.supported()).rejects.toThrow(PaymentsUnavailableError);
});

const PAYMENT = {
  payload: { x402Version: 2, payload: {} },
  requirements: { network: 'eip155:8453' },
} as unknown as Parameters<ReturnType<typeof createFacilitator>['verify']>[0];
const JSON_HEAD = { 'content-type': 'application/json' };

test('no more of an answer is read than any has, though it never ends', async () => {
  let isOpen = true;
  const endless = (response: ServerResponse): void => {
    response.writeHead(200, JSON_HEAD);
    response.once('close', () => {
      isOpen = false;
    });
    const write = (): void => {
      while (isOpen && response.write(' '.repeat(65_536)));
      if (isOpen) response.once('drain', write);
    };
    write();
  };
  const { facilitator } = await serve(endless);
  await expect(facilitator.verify(PAYMENT)).rejects.toThrow(PaymentsUnavailableError);
  await expect.poll(() => isOpen, PATIENCE).toBe(false);
});

test('an answer as large as it may be is read, and one that is larger is none', async () => {
  const answerOf = (bytes: number) => {
    const text = JSON.stringify({ isValid: true, payer: '0xaa', more: '' });
    return text.replace('""', JSON.stringify('x'.repeat(bytes - text.length)));
  };
  for (const [bytes, isRead] of [
    [262_144, true],
    [262_145, false],
  ] as const) {
    const { facilitator } = await serve((response) => {
      response.writeHead(200, JSON_HEAD).end(answerOf(bytes));
    });
    const verified = facilitator.verify(PAYMENT).catch(() => null);
    expect(await verified).toEqual(isRead ? { isValid: true, payer: '0xaa' } : null);
  }
});

test('one that sends a question elsewhere has not answered, and nobody is asked there', async () => {
  let elsewhere = 0;
  const other = await serve((response) => {
    elsewhere += 1;
    response.writeHead(200, JSON_HEAD).end(JSON.stringify({ isValid: true, payer: '0xaa' }));
  });
  for (const status of [301, 302, 307, 308]) {
    const { facilitator } = await serve((response) => {
      response.writeHead(status, { location: `${other.url}/verify` }).end();
    });
    await expect(facilitator.verify(PAYMENT)).rejects.toThrow(PaymentsUnavailableError);
    expect(await facilitator.settle(PAYMENT)).toEqual({ status: 'unknown' });
  }
  expect(elsewhere).toBe(0);
});

test('its "no" counts with a status of 400, and with one of 500 it has not answered', async () => {
  const answer = JSON.stringify({ isValid: false, invalidReason: 'invalid_exact_evm_signature' });
  const say = (status: number) =>
    serve((response) => {
      response.writeHead(status, JSON_HEAD).end(answer);
    });
  const refused = { isValid: false, reason: 'invalid_signature' };
  expect(await (await say(400)).facilitator.verify(PAYMENT)).toEqual(refused);
  await expect((await say(500)).facilitator.verify(PAYMENT)).rejects.toThrow(PaymentsUnavailableError);
});

test.each([{}, { payer: null }, { payer: '' }])(
  'a payment is valid though no payer is named (%j), which the specification allows',
  async (named) => {
    const { facilitator } = await serve((response) => {
      response.writeHead(200, JSON_HEAD).end(JSON.stringify({ isValid: true, ...named }));
    });
    expect(await facilitator.verify(PAYMENT)).toEqual({ isValid: true, payer: null });
  },
);

test.each([{}, { invalidReason: null, payer: null }])('a refusal needs no reason: %j', async (rest) => {
  const { facilitator } = await serve((response) => {
    response.writeHead(200, JSON_HEAD).end(JSON.stringify({ isValid: false, ...rest }));
  });
  expect(await facilitator.verify(PAYMENT)).toEqual({ isValid: false, reason: 'simulation_failed' });
});

test.each([{}, { payer: null, network: null, errorReason: null }, { payer: '', network: '' }])(
  'a settlement counts by its transaction alone: %j',
  async (rest) => {
    const transaction = `0x${'ab'.repeat(32)}`;
    const { facilitator } = await serve((response) => {
      response.writeHead(200, JSON_HEAD).end(JSON.stringify({ success: true, transaction, ...rest }));
    });
    expect(await facilitator.settle(PAYMENT)).toEqual({ status: 'settled', transaction });
  },
);

test.each([{}, { extensions: null, signers: null }])(
  'terms are kinds; what else it could do may be left out: %j',
  async (rest) => {
    const kinds = [{ ...TERMS.kinds[0], extra: null }];
    const { facilitator } = await serve((response) => {
      response.writeHead(200, JSON_HEAD).end(JSON.stringify({ kinds, ...rest }));
    });
    expect(await facilitator.supported()).toEqual({
      ...{ extensions: [], signers: {} },
      kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:8453', extra: undefined }],
    });
  },
);
