import type { TestProject } from 'vitest/node';
import { EngineMissingError } from './engine-missing-error.ts';
import type {} from './shared-engines.ts';
import { startEngines } from './start-engines.ts';

/** Before the suites of the project: one broker and one registry for all of them, where they can run. */
export default async function shareEngines({
  name,
  provide,
}: Pick<TestProject, 'name' | 'provide'>): Promise<() => Promise<void>> {
  try {
    // The long suites log in nowhere.
    const engines = await startEngines({ isSecured: name !== 'long' });
    process.stdout.write(`Kafka and the schema registry run on ${engines.runOn}\n`);
    const { brokers, registryUrl, secured } = engines;
    provide('engines', { brokers, registryUrl, secured });
    return async () => {
      await engines[Symbol.asyncDispose]();
    };
  } catch (error) {
    // Where brokers are demanded, suites that were left out must not look like a run that went well.
    if (!(error instanceof EngineMissingError) || process.env.SPOOR_REQUIRE_BROKERS === '1') throw error;
    provide('engines', { missing: error.message });
    return async () => {};
  }
}
