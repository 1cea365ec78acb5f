import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ClosingReport } from './services/testing/closing-report.ts';

/** Each file starts processes of its own, in folders and on ports of its own; nothing is given up before its time. */
const engineSuites = (name: string, test: TestProjectInlineConfiguration['test']) => ({
  test: { name, testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } }, ...test },
});

/**
 * Three kinds of tests, told apart by their names: `*.test.ts` are fast and touch nothing outside their process;
 * `*.contract.test.ts` run a real engine; `*.fault.test.ts` kill real processes with −9.
 * Those with `.broker.` in their name need Kafka and a schema registry.
 */
export default defineConfig({
  test: {
    reporters: ['default', new ClosingReport()],
    projects: [
      {
        test: {
          name: 'unit',
          // Far above what any of them takes: other suites share the processors.
          testTimeout: 30_000,
          include: ['services/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.contract.test.ts', '**/*.fault.test.ts'],
        },
      },
      engineSuites('engines', {
        include: ['services/**/*.contract.test.ts', 'services/**/*.fault.test.ts'],
        exclude: ['**/*.broker.*.test.ts'],
        // One file waits for disks and processes while the other computes; more would only wait for each other.
        maxWorkers: 2,
        sequence: { groupOrder: 1 },
      }),
      // A project of its own, so that a broker is started only where one is asked for.
      engineSuites('brokers', {
        include: ['services/**/*.broker.*.test.ts'],
        globalSetup: 'services/testing/engines/share-engines.ts',
        // They share the broker, and some of them stop it.
        fileParallelism: false,
        sequence: { groupOrder: 2 },
      }),
    ],
  },
});
