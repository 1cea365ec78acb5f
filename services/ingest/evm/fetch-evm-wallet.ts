import type { DecodedBlock } from '../../investigate/model/block.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { decodeAnswer } from '../nodes/decode-answer.ts';
import { inconsistent, type RetryLimits, retryTransient, SourceError } from '../nodes/source-error.ts';
import { cutToTransaction } from '../wallets/cut-to-transaction.ts';
import type { WalletSource } from '../wallets/wallet-source.ts';
import { rulesOf } from './chain-rules.ts';
import { decodeEvmBlock } from './decode-evm-block.ts';
import { createEvmRpc, type EvmRpc, type EvmRpcOptions, type RpcAnswer, type RpcFailure } from './evm-rpc.ts';
import { fetchTrace } from './fetch-each-trace.ts';
import { fetchLogs, hex, listed, readNumber, type Span, toPlaced } from './fetch-logs.ts';
import { fieldOf, readQuantity } from './read-hex.ts';
import { TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL } from './read-log.ts';
import { failureOf, isStateGone, isTooLarge, resultOf } from './rpc-answer.ts';

export type EvmWalletOptions = EvmRpcOptions & {
  readonly chain: string;
  readonly retry?: RetryLimits;
};

/** Logs that name the wallet first: who sent a token, wrapped the coin or unwrapped it. */
const NAMED_FIRST = [TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL];
/**
 * Blocks that one question spans. Nodes limit them, each in its own words, or take minutes over many: so the newest few come first, then
 * four times as many each time, and half of what was refused: below `min` only of blocks that hold too much.
 */
const SPAN = { first: 2_000, min: 500, growth: 4 };
/** Problems of a transaction whose calls are left out. */
const UNUSABLE_TRACE: readonly string[] = ['trace_missing', 'trace_malformed', 'trace_contradicts'];
/** Traces come in pages where a node has more. */
const TRACES_PAGE = 1_000;

/**
 * A wallet's transactions from an EVM node: those with a log of a transfer or of wrapping that names it, and, where the
 * node lists traces by address, those that moved the chain's own coin from or to it.
 */
export const createEvmWalletSource = ({ chain, retry, ...options }: EvmWalletOptions): WalletSource => {
  const rpc = createEvmRpc(options);
  const ask: Ask = (calls, signal) =>
    retryTransient(async () => (await rpc.ask(calls, signal)).map(refuseLimited), signal, retry);
  return {
    chain,
    isUsed: async (wallet, signal) => {
      const of = (method: string) => ({ method, params: [wallet, 'latest'] });
      const asked = ['eth_getTransactionCount', 'eth_getBalance', 'eth_getCode'].map(of);
      const answers = await ask(asked, signal);
      return answers.some((answer) => failureOf(answer) !== null || !/^0x0*$/.test(String(resultOf(answer))));
    },
    read: async function* (wallet, { transactionsMax }, signal) {
      const [head] = await ask([{ method: 'eth_getBlockByNumber', params: ['finalized', false] }], signal);
      const last = readNumber(fieldOf(resultOf(head), 'number'), 'the final block has no number');
      const listing: Listing = {
        ...{ wallet: wallet.toLowerCase(), last },
        ...{ tracesListed: true, isTraced: true, logsListed: true },
      };
      let read = 0;
      let balanceRaw = 0n;
      for await (const hash of listTransactions(ask, listing, signal)) {
        if (read === transactionsMax) return 'older_left_out';
        read += 1;
        const { block, isTraced } = await retryTransient(
          () => fetchAlone(rpc.ask, chain, hash, signal),
          signal,
          retry,
        );
        listing.isTraced &&= isTraced;
        if (block === null) continue;
        balanceRaw += changeOf(block, listing.wallet);
        yield block;
      }
      if (!listing.logsListed) return 'transfers_left_out';
      const isWhole =
        listing.tracesListed && listing.isTraced && balanceRaw === (await askBalance(ask, listing, signal));
      return isWhole ? 'complete' : 'coin_transfers_left_out';
    },
  };
};

/** What its rows changed the wallet's balance of the coin by, in wei. */
const changeOf = ({ movements }: DecodedBlock, wallet: string): bigint =>
  movements.reduce((sum, { asset, from, to, amountRaw }) => {
    if (asset !== NATIVE) return sum;
    return sum + (to === wallet ? amountRaw : 0n) - (from === wallet ? amountRaw : 0n);
  }, 0n);

/**
 * What the wallet had in the last block, in wei; null where the node does not say. The chain itself pays without a transaction that
 * names who is paid (rewards, withdrawals, fees, its first balances): only the balance tells that there was more than was read.
 */
const askBalance = async (
  ask: Ask,
  { wallet, last }: Listing,
  signal: AbortSignal,
): Promise<bigint | null> => {
  const [answer] = await ask([{ method: 'eth_getBalance', params: [wallet, hex(last)] }], signal);
  return failureOf(answer) ? null : decodeAnswer(() => readQuantity(resultOf(answer), 'balance'));
};

type Ask = EvmRpc['ask'];

/** A limit to the rate is no answer: the same is asked again. */
const refuseLimited = (answer: RpcAnswer): RpcAnswer => {
  if (failureOf(answer)?.kind === 'rate_limited') resultOf(answer);
  return answer;
};

type Listing = {
  readonly wallet: string;
  readonly last: number;
  /** Whether the node lists traces by address. */
  tracesListed: boolean;
  /** Whether it told of all calls that it was asked for. */
  isTraced: boolean;
  /** Whether it listed the logs of every block. */
  logsListed: boolean;
};

/** Hashes from the newest span of blocks to the oldest, each once within its span. */
async function* listTransactions(ask: Ask, listing: Listing, signal: AbortSignal): AsyncGenerator<string> {
  let span = SPAN.first;
  let spanMax = Number.POSITIVE_INFINITY;
  for (let last = listing.last; last >= 0; ) {
    const first = Math.max(0, last - span + 1);
    const hashes = await listSpan(ask, listing, { first, last }, signal).catch((error: unknown) => {
      if (!(error instanceof SourceError) || span <= leastSpan(error)) throw error;
      return null;
    });
    if (hashes === null) {
      // What is refused of few blocks is what they hold, not how many they are.
      if (span > SPAN.min) spanMax = Math.max(SPAN.min, span / 2);
      span = Math.min(spanMax, Math.ceil(span / 2));
      continue;
    }
    yield* hashes;
    last = first - 1;
    span = Math.min(span * SPAN.growth, spanMax);
  }
}

/** Anybody can fill blocks with what names a wallet; where a node is in trouble it helps little to ask for less. */
const leastSpan = ({ transient, code }: SourceError): number =>
  transient && code !== 'inconsistent' ? SPAN.min : 1;

const listSpan = async (
  ask: Ask,
  listing: Listing,
  span: Span,
  signal: AbortSignal,
): Promise<Set<string>> => {
  const topic = `0x${listing.wallet.slice(2).padStart(64, '0')}`;
  const sides = [
    [NAMED_FIRST, topic],
    [TRANSFER_TOPIC, null, topic],
  ];
  const found = await unlessTooMuch(fetchLogs(ask, sides, span, signal), span);
  if (found === null) listing.logsListed = false;
  const traces = listing.tracesListed ? await listTracesOf(ask, listing, span, signal) : [];
  const placed = [...(found ?? []), ...traces.map(toPlaced)];
  return new Set(placed.sort((a, b) => b.block - a.block).map(({ hash }) => hash));
};

/** null where what a single block holds is too much for an answer: anybody can fill one, and it must not hide what is older. */
const unlessTooMuch = async <T>(listing: Promise<T>, { first, last }: Span): Promise<T | null> => {
  try {
    return await listing;
  } catch (error) {
    const isTooMuch =
      error instanceof SourceError && (error.code === 'answer_too_large' || isTooLarge(error.message));
    if (!isTooMuch || first < last) throw error;
    return null;
  }
};

/** Empty, and said to be missing, where those of a single block are too much. */
const listTracesOf = async (
  ask: Ask,
  listing: Listing,
  span: Span,
  signal: AbortSignal,
): Promise<readonly unknown[]> => {
  const traces = await unlessTooMuch(listTraces(ask, listing, span, signal), span);
  if (traces === null) listing.isTraced = false;
  return traces ?? [];
};

/** Empty, and said to be missing, where the node does not list traces. */
const listTraces = async (
  ask: Ask,
  listing: Listing,
  { first, last }: Span,
  signal: AbortSignal,
): Promise<readonly unknown[]> => {
  const blocks = { fromBlock: hex(first), toBlock: hex(last) };
  const traces: unknown[] = [];
  for (const side of ['fromAddress', 'toAddress']) {
    let before = '';
    for (let after = 0; ; after += TRACES_PAGE) {
      const filter = { ...blocks, [side]: [listing.wallet], after, count: TRACES_PAGE };
      const [answer] = await ask([{ method: 'trace_filter', params: [filter] }], signal);
      if (failureOf(answer)?.kind === 'method_missing') {
        listing.tracesListed = false;
        return [];
      }
      const page = listed(answer);
      // Rewards of blocks are listed too; they belong to no transaction, and the balance says that they are missing.
      traces.push(...page.filter((trace) => typeof fieldOf(trace, 'transactionHash') === 'string'));
      // Some nodes know no pages and give all, others begin again behind the last one.
      const start = JSON.stringify(page[0]);
      if (page.length !== TRACES_PAGE || start === before) break;
      before = start;
    }
  }
  return traces;
};

const isNeverTold = (failure: RpcFailure | null): boolean =>
  failure !== null &&
  (failure.kind === 'method_missing' || isStateGone(failure.message) || isTooLarge(failure.message));

/**
 * One transaction with its receipt and calls, decoded as a block of nothing else; null where it moved nothing. Not traced
 * where the node never traces, or no transaction this old or this large, or gives no trace of this one; throws `SourceError` where it
 * fails to for now, or tells of the transaction what cannot be decoded.
 */
const fetchAlone = async (ask: Ask, chain: string, hash: string, signal: AbortSignal) => {
  const [transaction, receipt] = await ask(
    [
      { method: 'eth_getTransactionByHash', params: [hash] },
      { method: 'eth_getTransactionReceipt', params: [hash] },
    ],
    signal,
  );
  const tx = resultOf(transaction);
  const at = fieldOf(tx, 'blockNumber');
  const [[answer], trace] = await Promise.all([
    ask([{ method: 'eth_getBlockByNumber', params: [at, false] }], signal),
    fetchTrace(ask, hash, signal),
  ]);
  const header = resultOf(answer);
  if (typeof header !== 'object' || header === null || fieldOf(header, 'hash') !== fieldOf(tx, 'blockHash'))
    throw inconsistent('a transaction and its block do not belong together');
  const isUntraceable = fieldOf(tx, 'from') === rulesOf(chain).untracedSender;
  const isTraced = isUntraceable || (trace !== undefined && !isNeverTold(failureOf(trace)));
  const input = {
    chain,
    block: { ...header, transactions: [tx], withdrawals: [], logsBloom: null },
    receipts: [resultOf(receipt)],
    traces: isTraced ? [{ txHash: hash, result: isUntraceable ? null : resultOf(trace) }] : null,
    uncles: [],
    isPart: true,
  };
  const place = () => readNumber(fieldOf(tx, 'transactionIndex'), 'a transaction without its place');
  const block = decodeAnswer(() => cutToTransaction(decodeEvmBlock(input), place));
  const isTraceUnusable = block?.problems.some(({ code }) => UNUSABLE_TRACE.includes(code)) ?? false;
  return { block, isTraced: isTraced && !isTraceUnusable };
};
