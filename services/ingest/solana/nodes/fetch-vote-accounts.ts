import { z } from 'zod';
import { SourceError } from '../../nodes/source-error.ts';
import { parseResult, type SolanaRpc } from './solana-rpc.ts';

const ACCOUNTS = z.array(z.object({ votePubkey: z.string() }));
const LATER = { transient: true };
const ANSWER = z.object({ current: ACCOUNTS, delinquent: ACCOUNTS });

/**
 * Validators' vote accounts, including delinquent ones; closed ones are unknown. One request, about a megabyte.
 * Throws `SourceError` if the node does not answer, or the signal's reason.
 */
export const fetchVoteAccounts = async (
  rpc: Pick<SolanaRpc, 'ask'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const answer = await rpc.ask('getVoteAccounts', [], signal);
  if ('failure' in answer)
    throw new SourceError('rpc_error', `getVoteAccounts: ${answer.failure.message}`, LATER);
  const { data } = ANSWER.safeParse(parseResult(answer.resultText, 'getVoteAccounts'));
  if (data === undefined)
    throw new SourceError('rpc_error', 'getVoteAccounts: the answer lists no accounts', LATER);
  return new Set([...data.current, ...data.delinquent].map(({ votePubkey }) => votePubkey));
};
