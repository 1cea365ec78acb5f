import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { openConfluentRegistry } from './confluent-registry.ts';
import { loadSchema } from './schemas.ts';

/** A registry, or what stands before it, that answers everything with one status. */
const answering = async (status: number): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error_code: status * 100, message: 'not now' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test.each([
  [408, 'registry_unreachable'],
  [429, 'registry_unreachable'],
  [503, 'registry_unreachable'],
  [401, 'registry_refused'],
  [403, 'registry_refused'],
])(
  'what a registry answers with %i is %s: the one is tried again, the other is not',
  async (status, code) => {
    const registry = openConfluentRegistry(await answering(status));
    await expect(registry.register(loadSchema('WalletAsked'))).rejects.toMatchObject({ code });
    await expect(registry.schemaOf(1)).rejects.toMatchObject({ code });
  },
);

test('a registry whose first server is away is asked at its second', async () => {
  const [gone, limited, answers] = [
    `http://127.0.0.1:${await freePort()}`,
    await answering(503),
    await answering(404),
  ];
  const registry = openConfluentRegistry(gone, limited, answers);
  expect(await registry.schemaOf(1)).toBeNull();
  await expect(openConfluentRegistry(gone, limited).schemaOf(1)).rejects.toMatchObject({
    code: 'registry_unreachable',
  });
});
