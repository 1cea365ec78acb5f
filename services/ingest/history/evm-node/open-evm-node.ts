import { createEvmRpc, type EvmRpcOptions } from '../../evm/evm-rpc.ts';
import { readNumber } from '../../evm/fetch-logs.ts';
import { fieldOf } from '../../evm/read-hex.ts';
import { failureOf, numberOf, resultOf } from '../../evm/rpc-answer.ts';
import { type RetryLimits, retryTransient } from '../../nodes/source-error.ts';
import type { HistoryNode, HistorySource } from '../history-source.ts';
import { createAsk } from './ask-node.ts';
import { createDecodeAlone } from './decode-alone.ts';
import { createEvmNodeSource } from './evm-node-source.ts';
import { proveWindow } from './prove-window.ts';

export type HistoryNodeOptions = EvmRpcOptions & {
  readonly chain: string;
  readonly retry?: RetryLimits;
};

/** An EVM node as both: it lists, and it decodes what others list. */
export const openEvmNode = ({
  chain,
  retry,
  ...options
}: HistoryNodeOptions): { node: HistoryNode; source: HistorySource } => {
  const rpc = createEvmRpc(options);
  const ask = createAsk(rpc, retry);
  const decode = createDecodeAlone(rpc.ask, chain);
  const head: HistoryNode['head'] = async (signal) => {
    const [answer] = await ask([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }], signal);
    const block = resultOf(answer);
    const place = readNumber(fieldOf(block, 'number'), 'the final block has no number');
    return { place, unixSeconds: numberOf(fieldOf(block, 'timestamp')) };
  };
  const node: HistoryNode = {
    chain,
    head,
    isUsed: async (wallet, signal) => {
      const of = (method: string) => ({ method, params: [wallet, 'latest'] });
      const asked = ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'].map(of);
      const answers = await ask(asked, signal);
      return answers.some((answer) => failureOf(answer) !== null || !/^0x0*$/.test(String(resultOf(answer))));
    },
    // Its answers belong together, so they are asked again together.
    decode: ({ id }, signal) => retryTransient(() => decode(id, signal), signal, retry),
    prove: (question, signal) => proveWindow(ask, question, signal),
  };
  return { node, source: createEvmNodeSource(ask, head) };
};
