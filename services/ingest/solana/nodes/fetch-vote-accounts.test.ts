import { expect, test } from 'vitest';
import { startScriptedNode } from '../../../testing/nodes/scripted-node.ts';
import { SourceError } from '../../nodes/source-error.ts';
import { fetchVoteAccounts } from './fetch-vote-accounts.ts';
import { createSolanaRpc } from './solana-rpc.ts';

const NEVER = new AbortController().signal;

test('an answer that is cut short is the node’s failure, which an import goes on without', async () => {
  const node = await startScriptedNode({
    answer: () => ({ result: null }),
    intercept: (_, response) => {
      response.end('{"jsonrpc":"2.0","result":{"current":[{"votePubkey"},"id":1}');
      return true;
    },
  });
  const failure = await fetchVoteAccounts(createSolanaRpc({ url: node.url }), NEVER).catch((error) => error);
  expect(failure).toBeInstanceOf(SourceError);
  expect(failure).toMatchObject({ code: 'not_json', message: expect.stringContaining('getVoteAccounts') });
});
