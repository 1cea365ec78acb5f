import { chainNumbered } from '../bridges/bridge-numbers.ts';
import type { AskChain } from '../nodes/check-chain.ts';
import { createEvmRpc, type EvmRpcOptions } from './evm-rpc.ts';
import { failureOf, numberOf, resultOf } from './rpc-answer.ts';

/** By `eth_chainId`. */
export const createEvmAskChain = (options: EvmRpcOptions): AskChain => {
  const rpc = createEvmRpc(options);
  return async (signal) => {
    const [answer] = await rpc.ask([{ method: 'eth_chainId', params: [] }], signal);
    if (/missing|refused/.test(failureOf(answer)?.kind ?? '')) return null;
    const id = numberOf(resultOf(answer));
    return id === null ? null : (chainNumbered('chainId', id)?.name ?? null);
  };
};
