import { expect, test } from 'vitest';
import type { Operation } from '../api/contract/operation.ts';
import { listOperations } from '../api/contract/operations.ts';
import { prepareMcpServers } from './prepare-mcp-servers.ts';

test('tools are described once, not again for each request', () => {
  const served = { chains: ['ethereum'], clock: { nowUnixMs: () => 0 } };
  let described = 0;
  const operations = listOperations(served, { hasAccounts: false }).map(
    (operation): Operation => ({
      ...operation,
      get answer() {
        described += 1;
        return operation.answer;
      },
    }),
  );
  const createServer = prepareMcpServers({ operations, version: '1' });
  const once = described;
  expect(once).toBeGreaterThan(0);
  const callRoute = () => Promise.reject(new Error('nothing is called'));
  for (let at = 0; at < 3; at += 1) createServer({ headers: {}, callRoute });
  expect(described).toBe(once);
});
