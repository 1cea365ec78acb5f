import type { TestProject } from 'vitest/node';
import { EngineMissingError } from './engine-missing-error.ts';
import { startKafkaBroker } from './kafka-broker.ts';
import { startRegistryServer } from './registry-server.ts';
import type {} from './shared-engines.ts';

/** Before the suites of the project: one broker and one registry for all of them, where they can run. */
export default async function shareEngines({ provide }: TestProject): Promise<() => Promise<void>> {
  const engines = new AsyncDisposableStack();
  try {
    const { brokers } = engines.use(await startKafkaBroker());
    const { url } = engines.use(await startRegistryServer());
    provide('engines', { brokers, registryUrl: url });
  } catch (error) {
    await engines.disposeAsync();
    // Where brokers are demanded, suites that were left out must not look like a run that went well.
    if (!(error instanceof EngineMissingError) || process.env.SPOOR_REQUIRE_BROKERS === '1') throw error;
    provide('engines', { missing: error.message });
  }
  return () => engines.disposeAsync();
}
