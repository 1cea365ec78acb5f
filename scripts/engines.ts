import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineMissingError } from '../services/testing/engines/engine-missing-error.ts';
import { startEngines } from '../services/testing/engines/start-engines.ts';

const EXIT_FAILED = 1;
const LOOK_FOR_PARENT_MS = 500;

/** npm does not always pass on its signal; the parent process then changes. */
const parentEnded = async (): Promise<void> => {
  const parent = process.ppid;
  while (process.ppid === parent) await sleep(LOOK_FOR_PARENT_MS);
};

/** Starts a Kafka broker and a schema registry until interrupted; their data is deleted. */
const runEngines = async (engines: AsyncDisposableStack): Promise<void> => {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), parentEnded()]);
  process.stderr.write('starting a Kafka broker and a schema registry; the first time they are downloaded\n');
  const { brokers, registryUrl, runOn } = engines.use(await startEngines());
  process.stdout.write(`KAFKA_BROKERS=${brokers}\nSCHEMA_REGISTRY_URL=${registryUrl}\n`);
  process.stderr.write(`both run on ${runOn} until interrupted, and keep their data only that long\n`);
  await interrupted;
};

const engines = new AsyncDisposableStack();
try {
  await runEngines(engines).finally(() => engines.disposeAsync());
} catch (error) {
  const known = error instanceof EngineMissingError;
  const cause = known && error.cause instanceof Error ? `\n${error.cause.message}` : '';
  process.stderr.write(`engines: ${known ? error.message + cause : (error as Error).stack}\n`);
  process.exit(EXIT_FAILED);
}
// The watch on the parent would go on.
process.exit(0);
