import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ClosingReport } from './services/testing/closing-report.ts';

// Suites start hundreds of processes; reading our modules and their libraries anew took most of each start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Each file starts processes of its own, in folders and on ports of its own; nothing is given up before its time. */
const engineSuites = (name: string, test: TestProjectInlineConfiguration['test']) => ({
  test: {
    ...{ name, testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } }, ...test },
    // One file waits for disks, brokers and processes while the other computes; more would only wait for each other.
    maxWorkers: 2,
    // Those of brokers wait most: no processor is left idle where they and the others take turns.
    sequence: { groupOrder: 1 },
  },
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
          // Where there are two processors, one would be left idle by default.
          maxWorkers: '100%',
          // Far above what any of them takes: other suites share the processors.
          testTimeout: 30_000,
          include: ['services/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/*.contract.test.ts', '**/*.fault.test.ts'],
        },
      },
      engineSuites('engines', {
        include: ['services/**/*.contract.test.ts', 'services/**/*.fault.test.ts'],
        exclude: ['**/*.broker.*.test.ts'],
      }),
      // A project of its own, so that a broker is started only where one is asked for. They share it, under names of their
      // own; whoever stops one starts one for that.
      engineSuites('brokers', {
        include: ['services/**/*.broker.*.test.ts'],
        globalSetup: 'services/testing/engines/share-engines.ts',
      }),
    ],
  },
});
