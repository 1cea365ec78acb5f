import { rulesOf } from '../../evm/chain-rules.ts';
import { decodeEvmBlock } from '../../evm/decode-evm-block.ts';
import type { RpcFailure } from '../../evm/evm-rpc.ts';
import { fetchTrace } from '../../evm/fetch-each-trace.ts';
import { readNumber } from '../../evm/fetch-logs.ts';
import { fieldOf, listOf } from '../../evm/read-hex.ts';
import { failureOf, isStateGone, isTooLarge, resultOf } from '../../evm/rpc-answer.ts';
import { decodeAnswer } from '../../nodes/decode-answer.ts';
import { inconsistent } from '../../nodes/source-error.ts';
import { cutToTransaction } from '../cut-to-transaction.ts';
import type { DecodedTransaction } from '../history-source.ts';
import type { Ask } from './ask-node.ts';

/** Problems of a transaction whose calls are missing. */
const UNUSABLE_TRACE: readonly string[] = ['trace_missing', 'trace_malformed', 'trace_contradicts'];
const HEADERS_MAX = 1_000;

const isNeverTold = (failure: RpcFailure | null): boolean =>
  failure !== null &&
  (failure.kind === 'method_missing' || isStateGone(failure.message) || isTooLarge(failure.message));

/** Headers of blocks by number; several transactions of a block need the same. */
const createHeaders = (ask: Ask) => {
  const known = new Map<unknown, Promise<unknown>>();
  const fetch = async (at: unknown, signal: AbortSignal): Promise<unknown> => {
    const [answer] = await ask([{ method: 'eth_getBlockByNumber', params: [at, false] }], signal);
    return resultOf(answer);
  };
  return async (at: unknown, hash: unknown, signal: AbortSignal): Promise<object> => {
    for (const isKnown of [true, false]) {
      const before = isKnown ? known.get(at) : undefined;
      if (isKnown && before === undefined) continue;
      const pending = before ?? fetch(at, signal);
      // A caller that leaves must not fail the others, so what failed is asked for again.
      const header = await pending.catch((error: unknown) => {
        known.delete(at);
        if (isKnown) return null;
        throw error;
      });
      if (typeof header !== 'object' || header === null || fieldOf(header, 'hash') !== hash) continue;
      known.set(at, pending);
      const [oldest] = known.keys();
      if (known.size > HEADERS_MAX) known.delete(oldest);
      return header;
    }
    throw inconsistent('a transaction and its block do not belong together');
  };
};

/**
 * One transaction with receipt and calls, decoded as a block of its own. It lacks its calls if the node never
 * traces, or no transaction this old or large. Throws `SourceError` if the node fails for now, or gives something
 * that cannot be decoded.
 */
export const createDecodeAlone = (ask: Ask, chain: string) => {
  const headerOf = createHeaders(ask);
  return async (hash: string, signal: AbortSignal): Promise<DecodedTransaction> => {
    const [transaction, receipt] = await ask(
      [
        { method: 'eth_getTransactionByHash', params: [hash] },
        { method: 'eth_getTransactionReceipt', params: [hash] },
      ],
      signal,
    );
    const tx = resultOf(transaction);
    if (fieldOf(tx, 'hash') !== hash) throw inconsistent('the node answered with another transaction');
    const [header, trace] = await Promise.all([
      headerOf(fieldOf(tx, 'blockNumber'), fieldOf(tx, 'blockHash'), signal),
      fetchTrace(ask, hash, signal),
    ]);
    const isUntraceable = fieldOf(tx, 'from') === rulesOf(chain).untracedSender;
    const isTraced = isUntraceable || (trace !== undefined && !isNeverTold(failureOf(trace)));
    const calls = isTraced && !isUntraceable ? resultOf(trace) : null;
    const input = {
      chain,
      block: { ...header, transactions: [tx], withdrawals: [], logsBloom: null },
      receipts: [resultOf(receipt)],
      traces: isTraced ? [{ txHash: hash, result: calls }] : null,
      uncles: [],
      isPart: true,
    };
    const place = () => readNumber(fieldOf(tx, 'transactionIndex'), 'a transaction without its place');
    const block = decodeAnswer(() => cutToTransaction(decodeEvmBlock(input), place));
    const isTraceUnusable = block?.problems.some(({ code }) => UNUSABLE_TRACE.includes(code)) ?? false;
    const sender = fieldOf(tx, 'from');
    return {
      block,
      sender: typeof sender === 'string' ? sender.toLowerCase() : null,
      names: (address) => isNamed(address, { tx, receipt: resultOf(receipt), calls }),
      lacks: isTraced && !isTraceUnusable ? null : 'calls',
    };
  };
};

type Told = { readonly tx: unknown; readonly receipt: unknown; readonly calls: unknown };

/** As sender, recipient, emitter, topic, or party of a call; call data says nothing. */
const isNamed = (address: string, { tx, receipt, calls }: Told): boolean => {
  const word = `0x${address.slice(2).padStart(64, '0')}`;
  const isIt = (value: unknown): boolean =>
    typeof value === 'string' && [address, word].includes(value.toLowerCase());
  if ([fieldOf(tx, 'from'), fieldOf(tx, 'to'), fieldOf(receipt, 'contractAddress')].some(isIt)) return true;
  const logs = listOf(fieldOf(receipt, 'logs'));
  if (logs.some((log) => [fieldOf(log, 'address'), ...listOf(fieldOf(log, 'topics'))].some(isIt)))
    return true;
  for (const frames = [calls]; frames.length > 0; ) {
    const frame = frames.pop();
    if ([fieldOf(frame, 'from'), fieldOf(frame, 'to')].some(isIt)) return true;
    for (const call of listOf(fieldOf(frame, 'calls'))) frames.push(call);
  }
  return false;
};
