import { expect, onTestFinished, test } from 'vitest';
import { findSchemathesis } from '../../testing/analyst-tools/find-tools.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { story } from '../../testing/open-billed-api.ts';
import { startApi } from '../../testing/start-api.ts';

const tool = await findSchemathesis();
const missing = 'missing' in tool ? ` (${tool.missing})` : '';

/** JSON schema cannot express rules across fields, an address that fits its chain, or a time in the past. */
const BEYOND_SCHEMAS = ['--exclude-checks', 'positive_data_acceptance'];

/** Duration. */
export const testAnswers = (seconds: number): void => {
  test.skipIf('missing' in tool)(
    `schemathesis finds no answer that the document does not describe${missing}`,
    async () => {
      const api = await startApi({ reader: createMemoryReader(story) });
      onTestFinished(() => api[Symbol.asyncDispose]());
      if (!('run' in tool)) throw new Error(tool.missing);
      // Rejects with the findings.
      const report = await tool.run([
        'run',
        `${api.url}/openapi.json`,
        '--no-color',
        ...['--max-examples', '10', '--max-time', String(seconds), '--request-timeout', '60'],
        ...BEYOND_SCHEMAS,
      ]);
      expect(report).toMatch(/Tested: (\d+)/);
      expect(report).toContain('/follow');
    },
  );
};
