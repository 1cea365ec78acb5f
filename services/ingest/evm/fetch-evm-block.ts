import type { DecodeProblem } from '../../investigate/model/block.ts';
import type { BlockSource, FetchResult } from '../nodes/block-source.ts';
import { decodeAnswer } from '../nodes/decode-answer.ts';
import { inconsistent, type RetryLimits, retryTransient, SourceError } from '../nodes/source-error.ts';
import { retryUntraced, withTracesMissing } from '../nodes/traces-missing.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';
import { createEvmRpc, type EvmRpc, type EvmRpcOptions, type RpcAnswer, type RpcCall } from './evm-rpc.ts';
import { fetchTraces, type Traces, type TracesOffered, untracedIn } from './fetch-traces.ts';
import { fieldOf, listOf } from './read-hex.ts';
import { failureOf, numberOf, resultOf } from './rpc-answer.ts';

/** The finality of the requested head. */
export type EvmCommitment = 'latest' | 'safe' | 'finalized';

export type EvmSourceOptions = EvmRpcOptions & {
  readonly chain: string;
  /** Default: `latest`, which may be abandoned. */
  readonly commitment?: EvmCommitment;
  readonly retry?: RetryLimits;
};

/** A node's answers about one block, untouched. */
type RawEvmBlock = Traces & {
  readonly block: Record<string, unknown>;
  readonly receipts: unknown;
  readonly uncles: readonly unknown[] | null;
};

type Learned = TracesOffered & {
  /** Not requested again from a node that does not offer them. */
  blockReceipts: boolean;
};

const CALLS_PER_REQUEST = 100;

/** Facts that another node may tell correctly. */
const CONTRADICTIONS: readonly string[] = [
  'receipts_contradict',
  'transactions_contradict',
  'header_contradicts',
  'logs_contradict',
  'status_contradicts',
  'gas_contradicts',
  'transaction_repeated',
  'receipt_missing',
  'transaction_malformed',
];
const isContradiction = ({ code }: DecodeProblem): boolean => CONTRADICTIONS.includes(code);

/** Blocks of an EVM chain from a node, like `fetch-solana-block.ts`. */
export const createEvmSource = (options: EvmSourceOptions): BlockSource => {
  const { chain, retry, commitment = 'latest' } = options;
  const rpc = createEvmRpc(options);
  const learned: Learned = { blockReceipts: true, traces: null, byHash: true };
  const rules = rulesOf(chain);
  let isAskedInVain = false;
  const fetchOnce = async (number: number, signal: AbortSignal): Promise<FetchResult> => {
    const raw = await fetchRaw(rpc, learned, { number, rules }, signal);
    if (raw === null) return { status: 'not_yet' };
    const decoded = decodeAnswer(() => decodeEvmBlock({ chain, ...raw }));
    const untraced = decoded.transactions.length > 0 ? (raw.untraced ?? untracedIn(decoded)) : null;
    // A node without traces is reported once for the chain, not for each block.
    const isProblem = untraced !== null && learned.traces !== false;
    const isDoubted = decoded.problems.some(isContradiction);
    if (!isDoubted) isAskedInVain = false;
    const contradicts = isDoubted ? (isAskedInVain ? 'for_good' : 'for_now') : null;
    return {
      ...{ status: 'block', untraced, contradicts },
      decoded: isProblem ? withTracesMissing(decoded) : decoded,
    };
  };
  const fetchAgain = async (number: number, signal: AbortSignal): Promise<FetchResult> => {
    const result = await retryUntraced(() => fetchOnce(number, signal), signal, retry);
    // A node that gives all blocks so is not asked repeatedly for each.
    isAskedInVain = result.status === 'block' && Boolean(result.contradicts);
    return result;
  };
  return {
    chain,
    head: (signal) => retryTransient(() => fetchHead(rpc, commitment, signal), signal, retry),
    offersTraces: () => learned.traces,
    fetch: fetchAgain,
  };
};

const fetchHead = async (rpc: EvmRpc, commitment: EvmCommitment, signal: AbortSignal): Promise<number> => {
  const call: RpcCall =
    commitment === 'latest'
      ? { method: 'eth_blockNumber', params: [] }
      : { method: 'eth_getBlockByNumber', params: [commitment, false] };
  const [answer] = await rpc.ask([call], signal);
  const result = resultOf(answer);
  const head = numberOf(commitment === 'latest' ? result : fieldOf(result, 'number'));
  if (head !== null) return head;
  throw new SourceError('rpc_error', `${call.method}: the answer is not a number`, { transient: true });
};

type Wanted = { readonly number: number; readonly rules: ChainRules };

/** null if the node does not know the block yet. */
const fetchRaw = async (
  rpc: EvmRpc,
  learned: Learned,
  { number, rules }: Wanted,
  signal: AbortSignal,
): Promise<RawEvmBlock | null> => {
  const at = `0x${number.toString(16)}`;
  const calls: RpcCall[] = [{ method: 'eth_getBlockByNumber', params: [at, true] }];
  if (learned.blockReceipts) calls.push({ method: 'eth_getBlockReceipts', params: [at] });
  const answers = await rpc.ask(calls, signal);
  const result = resultOf(answers[0]);
  if (result === null) return null;
  const block = readBlock(result, number);
  const receipts = readReceipts(answers[1], learned) ?? (await fetchReceipts(rpc, block, signal));
  checkReceipts(block, receipts);
  const { untracedSender, blockRewards } = rules;
  const traceable = { block, transactions: listOf(block.transactions), untracedSender };
  return {
    ...{ block, receipts, ...(await fetchTraces(rpc, traceable, learned, signal)) },
    uncles: blockRewards.length > 0 ? await fetchUncles(rpc, block, signal) : null,
  };
};

const readBlock = (result: unknown, number: number): Record<string, unknown> => {
  const block = typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : {};
  if (numberOf(block.number) === number && typeof block.hash === 'string') return block;
  throw inconsistent(`the node answered with another block than ${number}`);
};

/** null if they must be requested one by one. */
const readReceipts = (answer: RpcAnswer | undefined, learned: Learned): unknown => {
  if (answer === undefined) return null;
  if (failureOf(answer)?.kind === 'method_missing') {
    learned.blockReceipts = false;
    return null;
  }
  return resultOf(answer);
};

const fetchReceipts = async (
  rpc: EvmRpc,
  block: Record<string, unknown>,
  signal: AbortSignal,
): Promise<readonly unknown[]> => {
  const receipts: unknown[] = [];
  const hashes = listOf(block.transactions).map((tx) => fieldOf(tx, 'hash'));
  for (let start = 0; start < hashes.length; start += CALLS_PER_REQUEST) {
    const calls = hashes
      .slice(start, start + CALLS_PER_REQUEST)
      .map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }));
    for (const answer of await rpc.ask(calls, signal)) receipts.push(resultOf(answer));
  }
  return receipts;
};

const fetchUncles = async (
  rpc: EvmRpc,
  block: Record<string, unknown>,
  signal: AbortSignal,
): Promise<readonly unknown[] | null> => {
  const calls = listOf(block.uncles).map((_, position) => ({
    method: 'eth_getUncleByBlockHashAndIndex',
    params: [block.hash, `0x${position.toString(16)}`],
  }));
  const answers = await rpc.ask(calls, signal);
  // Without them the decoder reports missing rewards; the block is still good.
  return answers.some((answer) => failureOf(answer)?.kind === 'method_missing')
    ? null
    : answers.map(resultOf);
};

/** The chain may have changed between the calls, and one address may have several nodes. */
const checkReceipts = (block: Record<string, unknown>, receipts: unknown): void => {
  const fit =
    Array.isArray(receipts) &&
    receipts.length === listOf(block.transactions).length &&
    receipts.every((receipt) => fieldOf(receipt, 'blockHash') === block.hash);
  if (fit) return;
  throw inconsistent('the receipts are not those of the block');
};
