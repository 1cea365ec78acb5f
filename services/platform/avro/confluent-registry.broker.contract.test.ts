import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { freePort } from '../free-port.ts';
import { openConfluentRegistry } from './confluent-registry.ts';
import { testSchemaRegistry } from './schema-registry.contract.ts';
import { loadSchema } from './schemas.ts';

describeOnEngines('the registry that speaks the Confluent API', ({ registryUrl }) => {
  testSchemaRegistry(() => openConfluentRegistry(registryUrl));

  test('a registry that is away is an error that may pass, and its address and password stay here', async () => {
    const registry = openConfluentRegistry(`http://user:secret@127.0.0.1:${await freePort()}`);
    const failing = registry.register(loadSchema('BlockTransfers'));
    await expect(failing).rejects.toMatchObject({ code: 'registry_unreachable' });
    await expect(failing).rejects.not.toThrow(/secret|127\.0\.0\.1/);
  });

  /** The registry behind a gate that asks for a user, as those of managed clusters do; gives its address for one. */
  const startGate = async (user: string): Promise<(user: string) => string> => {
    const expected = `Basic ${Buffer.from(user).toString('base64')}`;
    const gate = createServer(async (request, response) => {
      if (request.headers.authorization !== expected) return void response.writeHead(401).end();
      let body = '';
      for await (const text of request.setEncoding('utf8')) body += text;
      const answer = await fetch(new URL(registryUrl).origin + request.url, {
        method: request.method ?? 'GET',
        headers: { 'content-type': request.headers['content-type'] ?? 'application/json' },
        ...(body === '' ? {} : { body }),
      });
      const type = answer.headers.get('content-type') ?? '';
      response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
    });
    await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void gate.close());
    const { port } = gate.address() as AddressInfo;
    return (user) => `http://${user}@127.0.0.1:${port}${new URL(registryUrl).pathname}`;
  };

  test('a registry is asked with the user and the password of its address; a wrong one is refused, and told nobody', async () => {
    const addressFor = await startGate('alice:p@ss:word%');
    const schema = loadSchema('BlockTransfers');
    const registry = openConfluentRegistry(addressFor('alice:p%40ss%3Aword%25'));
    const id = await registry.register(schema);
    expect((await registry.schemaOf(id))?.name).toBe(schema.name);
    const refused = openConfluentRegistry(addressFor('alice:hunter2')).register(schema);
    await expect(refused).rejects.toMatchObject({ code: 'registry_refused' });
    await expect(refused).rejects.not.toThrow(/hunter2|127\.0\.0\.1/);
  });
});
