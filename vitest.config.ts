import { defineConfig } from 'vitest/config';
import { ClosingReport } from './services/testing/closing-report.ts';

/**
 * Three kinds of tests, told apart by their names: `*.test.ts` are fast and touch nothing outside their process;
 * `*.contract.test.ts` run a real engine; `*.fault.test.ts` kill real processes with −9.
 * Engine suites run one file at a time: each starts processes of its own and the machine may have two cores.
 */
export default defineConfig({
  test: {
    reporters: ['default', new ClosingReport()],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['services/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/*.contract.test.ts', '**/*.fault.test.ts'],
        },
      },
      {
        test: {
          name: 'engines',
          include: ['services/**/*.contract.test.ts', 'services/**/*.fault.test.ts'],
          globalSetup: 'services/testing/engines/share-engines.ts',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
