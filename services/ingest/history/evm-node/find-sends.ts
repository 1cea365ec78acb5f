import type { Window } from '../../../investigate/model/history.ts';
import type { RpcCall } from '../../evm/evm-rpc.ts';
import { hex, readNumber } from '../../evm/fetch-logs.ts';
import { fieldOf, listOf, readHash } from '../../evm/read-hex.ts';
import { failureOf, resultOf } from '../../evm/rpc-answer.ts';
import { decodeAnswer } from '../../nodes/decode-answer.ts';
import type { ListedTransaction } from '../history-source.ts';
import type { Ask } from './ask-node.ts';

/** Parts into which a window is cut in one round: few rounds, few questions. */
const PARTS = 8;
/** Nonces in one request. */
const BATCH = 50;

/** How many transactions an address had sent before each of these blocks. Throws `SourceError`. */
export const askNonces = async (
  ask: Ask,
  address: string,
  blocks: readonly number[],
  signal: AbortSignal,
): Promise<number[]> => {
  const asked = [...new Set(blocks)].filter((block) => block > 0);
  const calls: RpcCall[] = asked.map((block) => ({
    method: 'eth_getTransactionCount',
    params: [address, hex(block - 1)],
  }));
  const answers = await ask(calls, signal);
  const nonces = new Map(
    asked.map((block, at) => [block, readNumber(resultOf(answers[at]), 'a nonce that is no number')]),
  );
  return blocks.map((block) => nonces.get(block) ?? 0);
};

/**
 * The transactions that an address signed: the nonce says how many there are. Found by nonce where the node has that
 * index, else by the blocks in which the nonce grew. Throws `SourceError`.
 */
export const findSends = async (
  ask: Ask,
  request: { readonly address: string; readonly bySenderAndNonce: boolean } & Window,
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const { address, bySenderAndNonce, first, last } = request;
  const [from = 0, to = 0] = await askNonces(ask, address, [first, last + 1], signal);
  if (from >= to) return [];
  return bySenderAndNonce
    ? findByNonce(ask, address, { from, to }, signal)
    : findByBlock(ask, address, { first, last, from, to }, signal);
};

const findByNonce = async (
  ask: Ask,
  address: string,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const found: ListedTransaction[] = [];
  for (let start = from; start < to; start += BATCH) {
    const nonces = Array.from({ length: Math.min(BATCH, to - start) }, (_, at) => start + at);
    const calls = nonces.map((nonce) => ({
      method: 'eth_getTransactionBySenderAndNonce',
      params: [address, hex(nonce)],
    }));
    for (const answer of await ask(calls, signal)) {
      const tx = resultOf(answer);
      // A nonce that an authorisation used up has no transaction.
      if (tx === null) continue;
      const id = decodeAnswer(() => readHash(fieldOf(tx, 'hash'), 'hash of a transaction'));
      found.push({ id, block: readNumber(fieldOf(tx, 'blockNumber'), 'a transaction without its block') });
    }
  }
  return found;
};

type Counted = Window & { readonly from: number; readonly to: number };

const findByBlock = async (
  ask: Ask,
  address: string,
  window: Counted,
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const blocks: number[] = [];
  let open: Counted[] = [window];
  while (open.length > 0) {
    const parts = open.map(({ first, last }) => boundariesOf(first, last));
    const nonces = await askNonces(ask, address, parts.flat(), signal);
    const next: Counted[] = [];
    let at = 0;
    for (const [place, { first, last, from, to }] of open.entries()) {
      const inner = parts[place] ?? [];
      const starts = [first, ...inner];
      const counts = [from, ...nonces.slice(at, at + inner.length), to];
      at += inner.length;
      for (const [i, start] of starts.entries()) {
        const end = (starts[i + 1] ?? last + 1) - 1;
        const [before = 0, later = 0] = [counts[i], counts[i + 1]];
        if (later <= before) continue;
        if (start === end) blocks.push(start);
        else next.push({ first: start, last: end, from: before, to: later });
      }
    }
    open = next;
  }
  return sendsIn(ask, address, blocks, signal);
};

/** Where the parts after the first begin. */
const boundariesOf = (first: number, last: number): number[] => {
  const length = last - first + 1;
  const parts = Math.min(PARTS, length);
  return Array.from({ length: parts - 1 }, (_, at) => first + Math.ceil(((at + 1) * length) / parts));
};

const sendsIn = async (
  ask: Ask,
  address: string,
  blocks: readonly number[],
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const found: ListedTransaction[] = [];
  for (const block of blocks) {
    const [answer] = await ask([{ method: 'eth_getBlockByNumber', params: [hex(block), true] }], signal);
    for (const tx of listOf(fieldOf(resultOf(answer), 'transactions'))) {
      if (String(fieldOf(tx, 'from')).toLowerCase() !== address) continue;
      found.push({ id: decodeAnswer(() => readHash(fieldOf(tx, 'hash'), 'hash of a transaction')), block });
    }
  }
  return found;
};

/** Whether the node has an index of transactions by sender and nonce. */
export const hasSenderAndNonce = async (ask: Ask, signal: AbortSignal): Promise<boolean> => {
  const params = [`0x${'0'.repeat(39)}1`, '0x0'];
  const [answer] = await ask([{ method: 'eth_getTransactionBySenderAndNonce', params }], signal);
  return failureOf(answer) === null;
};
