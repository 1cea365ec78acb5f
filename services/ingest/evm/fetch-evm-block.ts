import type { BlockSource } from '../block-source.ts';
import { decodeAnswer } from '../decode-answer.ts';
import { type RetryLimits, retryTransient, SourceError } from '../source-error.ts';
import { withTracesMissing } from '../traces-missing.ts';
import { rulesOf } from './chain-rules.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';
import { createEvmRpc, type EvmRpc, type EvmRpcOptions, type RpcAnswer, type RpcCall } from './evm-rpc.ts';
import { fieldOf, listOf, resultOf } from './rpc-answer.ts';
import { isStateGone } from './state-gone.ts';

/** How settled a block must be to be asked for; the head is the newest of them. */
export type EvmCommitment = 'latest' | 'safe' | 'finalized';

export type EvmSourceOptions = EvmRpcOptions & {
  readonly chain: string;
  /** Default: `latest`, which may be abandoned. */
  readonly commitment?: EvmCommitment;
  readonly retry?: RetryLimits;
};

/** The answers of a node about one block, untouched. */
export type RawEvmBlock = {
  readonly block: Record<string, unknown>;
  readonly receipts: unknown;
  /** null where the node does not trace, or cannot trace this block any more. */
  readonly traces: unknown;
  readonly uncles: readonly unknown[] | null;
};

/** What a node turned out not to offer; it is not asked for again. */
type Learned = { blockReceipts: boolean; traces: boolean | null };

const TRACER = { tracer: 'callTracer' };
const CALLS_PER_REQUEST = 100;

/** Blocks of an EVM chain from a node, as `fetch-solana-block.ts` has them for Solana. */
export const createEvmSource = (options: EvmSourceOptions): BlockSource => {
  const { chain, retry, commitment = 'latest' } = options;
  const rpc = createEvmRpc(options);
  const learned: Learned = { blockReceipts: true, traces: null };
  const wantsUncles = rulesOf(chain).blockRewards.length > 0;
  return {
    chain,
    head: (signal) => retryTransient(() => fetchHead(rpc, commitment, signal), signal, retry),
    offersTraces: () => learned.traces,
    fetch: async (number, signal) => {
      const raw = await retryTransient(
        () => fetchRaw(rpc, learned, { number, wantsUncles }, signal),
        signal,
        retry,
      );
      if (raw === null) return { status: 'not_yet' };
      const decoded = decodeAnswer(() => decodeEvmBlock({ chain, ...raw }));
      const isUntraced = raw.traces === null && decoded.transactions.length > 0;
      // That a node never traces is said of the chain, not of each block.
      const isProblem = isUntraced && learned.traces !== false;
      return { status: 'block', decoded: isProblem ? withTracesMissing(decoded) : decoded, isUntraced };
    },
  };
};

const fetchHead = async (rpc: EvmRpc, commitment: EvmCommitment, signal: AbortSignal): Promise<number> => {
  const call: RpcCall =
    commitment === 'latest'
      ? { method: 'eth_blockNumber', params: [] }
      : { method: 'eth_getBlockByNumber', params: [commitment, false] };
  const [answer] = await rpc.ask([call], signal);
  const result = resultOf(answer);
  const head = Number(commitment === 'latest' ? result : fieldOf(result, 'number'));
  if (Number.isSafeInteger(head)) return head;
  throw new SourceError('rpc_error', `${call.method}: the answer is no number`, { transient: true });
};

type Wanted = { readonly number: number; readonly wantsUncles: boolean };

/** null where the node does not know the block yet. */
const fetchRaw = async (
  rpc: EvmRpc,
  learned: Learned,
  { number, wantsUncles }: Wanted,
  signal: AbortSignal,
): Promise<RawEvmBlock | null> => {
  const at = `0x${number.toString(16)}`;
  const asked = { ...learned };
  const calls = [{ method: 'eth_getBlockByNumber', params: [at, true] as readonly unknown[] }];
  if (asked.blockReceipts) calls.push({ method: 'eth_getBlockReceipts', params: [at] });
  if (asked.traces !== false) calls.push({ method: 'debug_traceBlockByNumber', params: [at, TRACER] });
  const answers = await rpc.ask(calls, signal);
  const result = resultOf(answers[0]);
  if (result === null) return null;
  const block = readBlock(result, number);
  const receipts = readReceipts(asked.blockReceipts ? answers[1] : undefined, learned);
  const traces = readTraces(
    asked.traces !== false ? answers[asked.blockReceipts ? 2 : 1] : undefined,
    learned,
  );
  const raw = {
    block,
    receipts: receipts ?? (await fetchReceipts(rpc, block, signal)),
    traces,
    uncles: wantsUncles ? await fetchUncles(rpc, block, signal) : null,
  };
  checkBelongings(raw);
  return raw;
};

const readBlock = (result: unknown, number: number): Record<string, unknown> => {
  const block = typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : {};
  if (Number(block.number) === number && typeof block.hash === 'string') return block;
  throw new SourceError('inconsistent', `the node answered with another block than ${number}`, {
    transient: true,
  });
};

/** null where they have to be asked for one by one. */
const readReceipts = (answer: RpcAnswer | undefined, learned: Learned): unknown => {
  if (answer === undefined) return null;
  if ('failure' in answer && answer.failure.kind === 'method_missing') {
    learned.blockReceipts = false;
    return null;
  }
  return resultOf(answer);
};

const readTraces = (answer: RpcAnswer | undefined, learned: Learned): unknown => {
  if (answer === undefined) return null;
  if ('failure' in answer) {
    const { kind, message } = answer.failure;
    if (kind === 'method_missing') learned.traces = false;
    if (kind === 'method_missing' || isStateGone(message)) return null;
  }
  const traces = resultOf(answer);
  learned.traces = true;
  return traces;
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
  // Without them the decoder says that their rewards are absent; the block is no worse for it.
  return answers.some((answer) => 'failure' in answer && answer.failure.kind === 'method_missing')
    ? null
    : answers.map(resultOf);
};

/** Between the calls the chain may have changed its mind, and behind one address there may be several nodes. */
const checkBelongings = ({ block, receipts, traces }: RawEvmBlock): void => {
  const transactions = listOf(block.transactions);
  const hashes = new Set(transactions.map((tx) => fieldOf(tx, 'hash')));
  const receiptsFit =
    Array.isArray(receipts) &&
    receipts.length === transactions.length &&
    receipts.every((receipt) => fieldOf(receipt, 'blockHash') === block.hash);
  // Older nodes answer traces without hashes.
  const belongs = (trace: unknown): boolean => {
    const hash = fieldOf(trace, 'txHash');
    return hash === undefined || hashes.has(hash);
  };
  const tracesFit = traces === null || (Array.isArray(traces) && traces.every(belongs));
  if (receiptsFit && tracesFit) return;
  const which = receiptsFit ? 'traces' : 'receipts';
  throw new SourceError('inconsistent', `the ${which} are not those of the block`, { transient: true });
};
