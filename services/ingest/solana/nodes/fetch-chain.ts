import type { AskChain } from '../../nodes/check-chain.ts';
import { createSolanaRpc, type SolanaRpcOptions } from './solana-rpc.ts';
import { MEANING, toSourceError } from './solana-rpc-error.ts';

/** https://docs.anza.xyz/clusters/available: by the hashes of their first blocks. */
const CLUSTERS = new Map([
  ['"5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"', 'solana'],
  ['"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"', "solana's devnet"],
]);

/** By `getGenesisHash`. */
export const createSolanaAskChain = (options: SolanaRpcOptions): AskChain => {
  const rpc = createSolanaRpc(options);
  return async (signal) => {
    const answer = await rpc.ask('getGenesisHash', [], signal);
    if ('resultText' in answer) return CLUSTERS.get(answer.resultText.trim()) ?? null;
    if (MEANING.get(answer.failure.code) === 'transient') throw toSourceError(answer.failure);
    return null;
  };
};
