import { expect, test } from 'vitest';
import { SourceError } from '../nodes/source-error.ts';
import type { EvmRpc, RpcAnswer, RpcCall } from './evm-rpc.ts';
import { fetchTokenClaims } from './fetch-token-claims.ts';

const NEVER = new AbortController().signal;
const word = (value: number | bigint): string => value.toString(16).padStart(64, '0');
const text = (symbol: string): string => {
  const bytes = Buffer.from(symbol);
  return `0x${word(32)}${word(bytes.length)}${bytes.toString('hex').padEnd(64, '0')}`;
};

/** Tokens by their addresses, each with what it answers to `decimals()` and `symbol()`. */
const nodeOf = (tokens: Readonly<Record<string, readonly [RpcAnswer, RpcAnswer]>>) => {
  const requests: number[] = [];
  const answerOf = ({ params }: RpcCall): RpcAnswer => {
    const { to, data } = params[0] as { to: string; data: string };
    const [decimals, symbol] = tokens[to] ?? [{ result: '0x' }, { result: '0x' }];
    return data === '0x313ce567' ? decimals : symbol;
  };
  const rpc: EvmRpc = {
    ask: async (calls) => {
      requests.push(calls.length);
      return calls.map(answerOf);
    },
  };
  return { rpc, requests };
};

const reverted: RpcAnswer = {
  failure: { kind: 'transient', message: 'eth_call: execution reverted (-32000)' },
};
const failed: RpcAnswer = { failure: { kind: 'transient', message: 'eth_call: internal error (-32603)' } };

test('a token is what its contract answers: strings, 32 bytes, nothing at all', async () => {
  const { rpc } = nodeOf({
    usual: [{ result: `0x${word(6)}` }, { result: text('ALDER') }],
    early: [
      { result: `0x${word(18)}` },
      { result: `0x${Buffer.from('MKR').toString('hex').padEnd(64, '0')}` },
    ],
    silent: [reverted, reverted],
  });
  expect(await fetchTokenClaims(rpc, ['usual', 'early', 'silent', 'nobody'], NEVER)).toEqual([
    { decimals: 6, symbol: 'ALDER' },
    { decimals: 18, symbol: 'MKR' },
    { decimals: null, symbol: null },
    { decimals: null, symbol: null },
  ]);
});

test('answers that cannot be true are none', async () => {
  const { rpc } = nodeOf({
    huge: [{ result: `0x${word(2n ** 255n)}` }, { result: `0x${word(32)}${word(1_000_000)}${word(0)}` }],
    short: [{ result: '0x06' }, { result: '0x1234' }],
  });
  const nothing = { decimals: null, symbol: null };
  expect(await fetchTokenClaims(rpc, ['huge', 'short'], NEVER)).toEqual([nothing, nothing]);
});

test('where the node failed nothing is said of the contract', async () => {
  const { rpc } = nodeOf({ token: [failed, { result: text('ALDER') }] });
  expect(await fetchTokenClaims(rpc, ['token'], NEVER)).toEqual([null]);
});

test('an answer that is no hexadecimal text says nothing of its contract, and the others are told', async () => {
  const { rpc } = nodeOf({
    odd: [{ result: `0x${'z'.repeat(64)}` }, { result: text('ALDER') }],
    usual: [{ result: `0x${word(6)}` }, { result: text('ALDER') }],
  });
  expect(await fetchTokenClaims(rpc, ['odd', 'usual'], NEVER)).toEqual([
    null,
    { decimals: 6, symbol: 'ALDER' },
  ]);
});

test('tokens whose answers are too large together or alone keep nobody else’s from being told', async () => {
  const usual: [RpcAnswer, RpcAnswer] = [{ result: `0x${word(6)}` }, { result: text('ALDER') }];
  const { rpc } = nodeOf({ a: usual, b: usual, c: usual });
  const isLarge = ({ params }: RpcCall): boolean => (params[0] as { to: string }).to === 'large';
  const ask: EvmRpc['ask'] = async (calls, signal) => {
    if (calls.some(isLarge)) throw new SourceError('answer_too_large', 'too large', { transient: false });
    return rpc.ask(calls, signal);
  };
  const told = { decimals: 6, symbol: 'ALDER' };
  expect(await fetchTokenClaims({ ask }, ['a', 'large', 'b', 'c'], NEVER)).toEqual([told, null, told, told]);
});

test('many tokens are asked in requests of a bounded size', async () => {
  const { rpc, requests } = nodeOf({});
  expect(await fetchTokenClaims(rpc, Array<string>(120).fill('nobody'), NEVER)).toHaveLength(120);
  expect(requests).toEqual([100, 100, 40]);
});
