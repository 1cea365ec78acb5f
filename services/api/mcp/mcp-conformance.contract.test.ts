import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startApi } from '../../testing/start-api.ts';

const SUITE = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');
const EXPECTED = fileURLToPath(new URL('expected-failures.yaml', import.meta.url));

test('the official conformance suite finds nothing but what expected-failures.yaml gives a reason for', async () => {
  await using api = await startApi();
  const suite = spawn(process.execPath, [
    SUITE,
    'server',
    ...['--url', `${api.url}/mcp`],
    ...['--requirements', '2026-07-28'],
    ...['--expected-failures', EXPECTED],
  ]);
  let output = '';
  for (const stream of [suite.stdout, suite.stderr]) stream.on('data', (bytes) => (output += bytes));
  const [code] = (await once(suite, 'close')) as [number];
  expect(output).toContain('tools-list');
  expect(code, output.slice(-4_000)).toBe(0);
});
