import type { Window } from '../../../investigate/model/history.ts';
import { readNumber } from '../../evm/fetch-logs.ts';
import { fieldOf, listOf, readHash } from '../../evm/read-hex.ts';
import { resultOf } from '../../evm/rpc-answer.ts';
import { decodeAnswer, malformed } from '../../nodes/decode-answer.ts';
import type { ListedTransaction } from '../history-source.ts';
import { tooMany } from '../walk-spans.ts';
import type { Ask } from './ask-node.ts';

const PAGE = 25;
/** A busy address is asked for in fewer blocks instead, of which the first may suffice. */
const PAGES_MAX = 40;

/**
 * Transactions in whose calls the address took part, by Otterscan's index, backward. A page never splits a block.
 * Throws `SourceError`.
 */
export const listOtterscan = async (
  ask: Ask,
  address: string,
  { first, last }: Window,
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const found: ListedTransaction[] = [];
  // The block itself is excluded, and 0 would mean the end of the chain.
  let before = last + 1;
  for (let pages = 1; ; pages++) {
    const params = [address, before, PAGE];
    const [answer] = await ask([{ method: 'ots_searchTransactionsBefore', params }], signal);
    const page = resultOf(answer);
    const txs = fieldOf(page, 'txs');
    if (!Array.isArray(txs)) throw malformed('ots_searchTransactionsBefore gave no list of transactions');
    const placed = listOf(txs).map((tx) => ({
      id: decodeAnswer(() => readHash(fieldOf(tx, 'hash'), 'hash of a transaction')),
      block: readNumber(fieldOf(tx, 'blockNumber'), 'a transaction without its block'),
    }));
    found.push(...placed.filter(({ block }) => first <= block && block <= last));
    const oldest = Math.min(...placed.map(({ block }) => block), before);
    if (fieldOf(page, 'lastPage') === true || oldest <= first) return found;
    if (oldest >= before) throw malformed('a page of transactions does not go on from the one before');
    if (first < last && pages >= PAGES_MAX) throw tooMany('ots_searchTransactionsBefore', 'transactions');
    before = oldest;
  }
};
