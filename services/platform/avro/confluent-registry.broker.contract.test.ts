import { expect, test } from 'vitest';
import { describeOnEngines } from '../../testing/engines/describe-on-engines.ts';
import { freePort } from '../../testing/engines/free-port.ts';
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
});
