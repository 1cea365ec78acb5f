import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ClosingReport } from './services/testing/closing-report.ts';
import { LongestWaitsFirst } from './services/testing/longest-waits-first.ts';
import { makeRunFolder } from './services/testing/run-folder.ts';

// Suites start hundreds of processes; reading our modules and their libraries anew took most of each start.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

// Most of what the suites of engines waited for was the disk.
process.env.TMPDIR ??= makeRunFolder();

/** What takes minutes, for `npm run test:long`. */
const LONG = '**/*.long.test.ts';
/** Real blocks and lists, whole: seconds for a file. */
const REAL = '**/*.real.test.ts';

/** Each worker runs its files one after another and starts nothing. */
const inProcess = (name: string, files: TestProjectInlineConfiguration['test']) => ({
  test: {
    name,
    // Two more than processors: some tests wait. Each reads the modules for itself.
    maxWorkers: availableParallelism() + 2,
    // Far above what any of them takes: other suites share the processors.
    testTimeout: 30_000,
    // They share a process and the modules that it has read: reading them anew for each file took longer than the tests.
    isolate: false,
    ...files,
  },
});

/** Each file starts processes of its own, in folders and on ports of its own; nothing is given up before its time. */
const engineSuites = (name: string, test: TestProjectInlineConfiguration['test']) => ({
  test: {
    ...{
      name,
      testTimeout: 120_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 60_000 } },
      isolate: false,
      ...test,
    },
    // Most files wait half of their time for processes, leases and pauses: on two processors four keep both at work.
    maxWorkers: 4,
    // Those of brokers wait most: no processor is left idle where they and the others take turns.
    sequence: { groupOrder: 1 },
  },
});

/**
 * Kinds of tests, told apart by their names: `*.test.ts` are fast and touch nothing outside their process;
 * `*.contract.test.ts` run a real engine; `*.fault.test.ts` kill real processes with −9; `*.long.test.ts` do either for minutes;
 * `*.real.test.ts` read real blocks and lists. Those with `.broker.` in their name need Kafka and a schema registry.
 */
export default defineConfig({
  test: {
    reporters: ['default', new ClosingReport()],
    sequence: { sequencer: LongestWaitsFirst },
    // Node reads the sources itself, as when the program runs. Nothing is mocked, so nothing must be rewritten.
    experimental: { viteModuleRunner: false },
    projects: [
      inProcess('unit', {
        include: ['services/**/*.test.ts', 'scripts/**/*.test.ts'],
        exclude: ['**/node_modules/**', '**/*.contract.test.ts', '**/*.fault.test.ts', REAL, LONG],
      }),
      inProcess('real', { include: [REAL] }),
      engineSuites('engines', {
        include: ['services/**/*.contract.test.ts', 'services/**/*.fault.test.ts'],
        exclude: ['**/*.broker.*.test.ts', LONG],
      }),
      // A project of its own, so that a broker is started only where one is asked for. They share it, under names of their
      // own; whoever stops one starts one for that.
      engineSuites('brokers', {
        include: ['services/**/*.broker.*.test.ts'],
        exclude: [LONG],
        globalSetup: 'services/testing/engines/share-engines.ts',
      }),
      // Not for `npm test`: simulations of thousands of histories, and what is killed again and again.
      engineSuites('long', {
        include: [`services/${LONG}`],
        testTimeout: 480_000,
        globalSetup: 'services/testing/engines/share-engines.ts',
      }),
    ],
  },
});
