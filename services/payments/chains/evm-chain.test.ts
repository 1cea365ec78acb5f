import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createEvmChain } from './evm-chain.ts';

const NETWORK = 'eip155:8453';
const ADDRESS = `0x${'a'.repeat(40)}`;
const AUTHORIZATION = {
  ...{ from: ADDRESS, to: ADDRESS, value: '1', validAfter: '0', validBefore: '9' },
  nonce: `0x${'0'.repeat(64)}`,
};
const TERMS = { scheme: 'exact', network: NETWORK, asset: ADDRESS, amount: '1', payTo: ADDRESS } as const;
const PAYMENT = {
  payload: {
    x402Version: 2,
    accepted: { ...TERMS, maxTimeoutSeconds: 300, extra: {} },
    payload: { signature: `0x${'0'.repeat(130)}`, authorization: AUTHORIZATION },
  },
  requirements: { ...TERMS, maxTimeoutSeconds: 300, extra: {} },
} as const;

test.each([
  ['user:50%25@', 'user:50%'],
  [':only-a-key@', ':only-a-key'],
  ['user:%D0%BA%D0%BB%D1%8E%D1%87@', 'user:ключ'],
])('a node is asked with the login that its address names: %s', async (login, sent) => {
  const heard: (string | undefined)[] = [];
  const node = createServer(({ headers }, response) => {
    heard.push(headers.authorization);
    response.writeHead(403).end();
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void node.close());
  const chain = createEvmChain(`http://${login}127.0.0.1:${(node.address() as AddressInfo).port}`);
  await expect(chain.look(PAYMENT, 0)).rejects.toThrow('403');
  expect(heard[0]).toBe(`Basic ${Buffer.from(sent).toString('base64')}`);
});
