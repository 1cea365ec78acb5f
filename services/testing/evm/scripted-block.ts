import type { FetchResult } from '../../ingest/nodes/block-source.ts';
import type { ScriptedAnswer, ScriptedCall } from '../nodes/scripted-node.ts';

export const hash = (digit: string): string => `0x${digit.repeat(64)}`;
export const address = (digit: string): string => `0x${digit.repeat(40)}`;
export const NEVER = new AbortController().signal;
/** For tests: no wait is long. */
export const retry = { attempts: 3, firstWaitMs: 1, longestWaitMs: 5 };

export const BLOCK = {
  number: '0x64',
  hash: hash('b'),
  parentHash: hash('a'),
  timestamp: '0x1',
  miner: address('d'),
  difficulty: '0x0',
  uncles: [],
  transactions: [
    {
      hash: hash('1'),
      from: address('a'),
      to: address('b'),
      value: '0x5',
      gas: '0x5208',
      gasPrice: '0x1',
      input: '0x',
    },
  ],
};
export const RECEIPT = {
  transactionHash: hash('1'),
  blockHash: hash('b'),
  status: '0x1',
  gasUsed: '0x5208',
  logs: [],
};
const INNER = { type: 'CALL', from: address('b'), to: address('c'), value: '0x2', input: '0x' };
export const TRACE = {
  txHash: hash('1'),
  result: { type: 'CALL', from: address('a'), to: address('b'), value: '0x5', input: '0x', calls: [INNER] },
};

export const MISSING = { error: { code: -32_601, message: 'the method does not exist/is not available' } };
export const ANSWERS: Record<string, unknown> = {
  eth_blockNumber: '0x64',
  eth_getBlockByNumber: BLOCK,
  eth_getBlockReceipts: [RECEIPT],
  debug_traceBlockByHash: [TRACE],
  eth_getTransactionReceipt: RECEIPT,
};
export const answer = ({ method }: ScriptedCall): ScriptedAnswer =>
  method in ANSWERS ? { result: ANSWERS[method] } : MISSING;
export const without =
  (missing: string, error: ScriptedAnswer = MISSING) =>
  (call: ScriptedCall): ScriptedAnswer =>
    call.method === missing ? error : answer(call);

export const nativeMoves = (result: FetchResult): number | string =>
  result.status === 'block'
    ? result.decoded.movements.filter(({ kind }) => kind === 'transfer').length
    : result.status;
