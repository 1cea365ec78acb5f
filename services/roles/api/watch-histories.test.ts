import { expect, test } from 'vitest';
import { createLogger } from '../../platform/logger.ts';
import { NODE_KEY, startScriptedNode } from '../../testing/nodes/scripted-node.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { watchHistories } from './watch-histories.ts';

const logger = createLogger({ level: 'silent' });

test('each source is asked once, and what it offers is told without its address', async () => {
  const node = await startScriptedNode({
    answer: ({ method }) => {
      if (method === 'eth_chainId') return { result: '0x1' };
      if (method === 'eth_getBlockByNumber') return { result: { number: '0x64', timestamp: '0x1' } };
      return { error: { code: -32_601, message: 'Method not found' } };
    },
  });
  const histories = watchHistories([{ name: 'ethereum', rpcUrls: [node.url] }], logger);
  expect(histories()).toBeNull();
  await expect.poll(histories, PATIENCE).not.toBeNull();
  const asked = node.requests.length;
  expect(histories()).toMatchObject([
    { chain: 'ethereum', sources: [{ source: 'evm-node', place: 1, trouble: null }] },
  ]);
  expect(JSON.stringify(histories())).not.toMatch(new RegExp(`${NODE_KEY}|127\\.0`));
  expect(node.requests).toHaveLength(asked);
});

test('where no chain is followed, nothing is told', () => {
  expect(watchHistories([], logger)()).toBeNull();
});
