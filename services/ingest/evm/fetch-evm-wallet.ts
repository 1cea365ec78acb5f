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

/** Logs that name the wallet first: as sender of a token, or wrapping and unwrapping the coin. */
const NAMED_FIRST = [TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL];
/**
 * Blocks in one question. Nodes limit them or take minutes, so the newest few come first, then four times as many,
 * and half of what was refused; below `min` only for blocks with too many logs.
 */
const SPAN = { first: 2_000, min: 500, growth: 4 };
/** Problems of a transaction whose calls are missing. */
const UNUSABLE_TRACE: readonly string[] = ['trace_missing', 'trace_malformed', 'trace_contradicts'];
/** Traces come in pages where a node has more. */
const TRACES_PAGE = 1_000;

/**
 * A wallet's transactions from an EVM node: those with a transfer or wrapping log that names it, and, if the node
 * lists traces by address, those that moved the coin from or to it.
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

/** The change of the wallet's coin balance by its rows, in wei. */
const changeOf = ({ movements }: DecodedBlock, wallet: string): bigint =>
  movements.reduce((sum, { asset, from, to, amountRaw }) => {
    if (asset !== NATIVE) return sum;
    return sum + (to === wallet ? amountRaw : 0n) - (from === wallet ? amountRaw : 0n);
  }, 0n);

/**
 * The wallet's coin in the last block, in wei; null if the node does not say. The chain also pays without naming
 * transactions (rewards, withdrawals, genesis), so only the balance shows that something is missing.
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

/** A rate limit is no answer: the question is repeated. */
const refuseLimited = (answer: RpcAnswer): RpcAnswer => {
  if (failureOf(answer)?.kind === 'rate_limited') resultOf(answer);
  return answer;
};

type Listing = {
  readonly wallet: string;
  readonly last: number;
  /** Whether the node lists traces by address. */
  tracesListed: boolean;
  /** Whether it gave all requested calls. */
  isTraced: boolean;
  /** Whether it listed the logs of every block. */
  logsListed: boolean;
};

/** Hashes from the newest span to the oldest, each once within its span. */
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
      // A refusal of few blocks concerns their content, not their number.
      if (span > SPAN.min) spanMax = Math.max(SPAN.min, span / 2);
      span = Math.min(spanMax, Math.ceil(span / 2));
      continue;
    }
    yield* hashes;
    last = first - 1;
    span = Math.min(span * SPAN.growth, spanMax);
  }
}

/** Anybody can fill blocks with a wallet's name; a smaller question rarely helps a failing node. */
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

/** null if one block holds too much: anybody can fill one, and it must not hide older ones. */
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

/** Empty and reported as missing if one block holds too much. */
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

/** Empty and reported as missing if the node does not list traces. */
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
      // Block rewards are listed, too, but belong to no transaction; the balance shows that they are missing.
      traces.push(...page.filter((trace) => typeof fieldOf(trace, 'transactionHash') === 'string'));
      // Some nodes have no pages and give all; others start over after the last page.
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
 * One transaction with receipt and calls, decoded as a block of its own; null if it moved nothing. Untraced if the
 * node never traces, or no transaction this old or large. Throws `SourceError` if it fails for now, or gives
 * something that cannot be decoded.
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
