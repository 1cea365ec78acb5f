import { NATIVE } from '../../investigate/model/movement.ts';
import type { World } from '../create-world.ts';
import {
  balanceAt,
  codeOf,
  countSent,
  filterTraces,
  findSent,
  getLogs,
  getTransaction,
  traceTransaction,
} from './answer-evm-history.ts';
import type { BlockPart, BlockStore } from './block-store.ts';
import { invalidParameters, methodNotFound } from './rpc-error.ts';

const CHAIN = 'ethereum';
const DECIMALS_SELECTOR = '0x313ce567';
const BALANCE_SELECTOR = '0x70a08231';
const SYMBOL_SELECTOR = '0x95d89b41';
const HEAD_TAGS = new Set(['latest', 'pending', 'safe', 'finalized']);

type JsonBlock = { transactions: { hash: string }[] };

const numberOf = (world: World, value: unknown): number => {
  const range = world.range[CHAIN] ?? { first: 0, last: 0 };
  if (typeof value !== 'string') throw invalidParameters('missing value for required argument 0');
  if (HEAD_TAGS.has(value)) return range.last;
  if (value === 'earliest') return range.first;
  if (!/^0x[0-9a-f]{1,13}$/i.test(value)) throw invalidParameters(`invalid argument 0: ${value}`);
  return Number(value);
};

const getBlock = (json: string, isFull: unknown): string => {
  if (isFull === true) return json;
  const block = JSON.parse(json) as JsonBlock;
  return JSON.stringify({ ...block, transactions: block.transactions.map(({ hash }) => hash) });
};

const getReceipt = async (store: BlockStore, hash: unknown): Promise<string> => {
  const place = store.findTransaction(String(hash));
  if (place === null) return 'null';
  const receipts = JSON.parse((await store.read(CHAIN, place.number, 'receipts')) ?? '[]') as unknown[];
  return JSON.stringify(receipts[place.index] ?? null);
};

const WORD = 64;
const word = (value: number): string => value.toString(16).padStart(WORD, '0');

/**
 * Answers `decimals()`, `symbol()` and `balanceOf()` of a token, at the newest generated block. Other calls get an
 * empty answer, as from an address without code.
 */
const callToken = (world: World, parameters: readonly unknown[]): string => {
  const { to, data, input } = (parameters[0] ?? {}) as { to?: unknown; data?: unknown; input?: unknown };
  const asset = String(to).toLowerCase();
  const selector = String(input ?? data);
  if (selector.startsWith(BALANCE_SELECTOR)) {
    const held = world.balance(CHAIN, `0x${selector.slice(-40)}`, asset);
    return JSON.stringify(`0x${held.toString(16).padStart(WORD, '0')}`);
  }
  const token = world.token(CHAIN, asset);
  if (token === null) return '"0x"';
  if (selector === DECIMALS_SELECTOR) return JSON.stringify(`0x${word(token.decimals)}`);
  if (selector !== SYMBOL_SELECTOR) return '"0x"';
  const bytes = Buffer.from(token.symbol, 'utf8');
  return JSON.stringify(`0x${word(32)}${word(bytes.length)}${bytes.toString('hex').padEnd(WORD, '0')}`);
};

const refuseOtherTracers = (options: unknown): void => {
  const { tracer } = (options ?? {}) as { tracer?: unknown };
  if (tracer !== 'callTracer') throw invalidParameters('only callTracer is served here');
};

/** The JSON text of `result` (`null` for a missing block); throws an RpcError as a node would answer one. */
export const answerEvm = async (
  world: World,
  store: BlockStore,
  method: string,
  parameters: readonly unknown[],
): Promise<string> => {
  const read = async (part: BlockPart): Promise<string> =>
    (await store.read(CHAIN, numberOf(world, parameters[0]), part)) ?? 'null';
  const asked = { world, store, numberOf: (value: unknown) => numberOf(world, value) };
  switch (method) {
    case 'eth_chainId':
      return '"0x1"';
    case 'net_version':
      return '"1"';
    case 'eth_syncing':
      return 'false';
    case 'web3_clientVersion':
      return '"Geth/v1.16.0/world"';
    case 'eth_blockNumber':
      return JSON.stringify(`0x${(world.range[CHAIN]?.last ?? 0).toString(16)}`);
    case 'eth_getBlockByNumber': {
      const json = await read('block');
      return json === 'null' ? json : getBlock(json, parameters[1]);
    }
    case 'eth_call':
      return callToken(world, parameters);
    case 'eth_getBalance':
      if (!HEAD_TAGS.has(String(parameters[1]))) return balanceAt(asked, parameters);
      return JSON.stringify(
        `0x${world.balance(CHAIN, String(parameters[0]).toLowerCase(), NATIVE).toString(16)}`,
      );
    case 'eth_getBlockReceipts':
      return read('receipts');
    case 'eth_getTransactionReceipt':
      return getReceipt(store, parameters[0]);
    case 'eth_getTransactionByHash':
      return getTransaction(store, parameters[0]);
    case 'eth_getTransactionCount':
      return countSent(asked, parameters);
    case 'eth_getTransactionBySenderAndNonce':
      return findSent(asked, parameters);
    case 'eth_getCode':
      return codeOf(asked, parameters);
    case 'eth_getLogs':
      return getLogs(asked, parameters);
    case 'trace_filter':
      return filterTraces(asked, parameters);
    case 'debug_traceTransaction':
      refuseOtherTracers(parameters[1]);
      return traceTransaction(store, parameters[0]);
    case 'debug_traceBlockByHash':
    case 'debug_traceBlockByNumber': {
      const [at, options] = parameters;
      refuseOtherTracers(options);
      if (method === 'debug_traceBlockByNumber') return read('traces');
      const number = store.findBlock(String(at));
      if (number === null) throw invalidParameters(`block ${String(at)} not found`);
      return (await store.read(CHAIN, number, 'traces')) ?? 'null';
    }
    default:
      throw methodNotFound(method);
  }
};
