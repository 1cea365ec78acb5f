import type { Window } from '../../../investigate/model/history.ts';
import { hex, listed, toPlaced } from '../../evm/fetch-logs.ts';
import { fieldOf } from '../../evm/read-hex.ts';
import type { ListedTransaction } from '../history-source.ts';
import { tooMany } from '../walk-spans.ts';
import type { Ask } from './ask-node.ts';

/** Traces come in pages where a node has more. */
const PAGE = 1_000;
/** A busy address is asked for in fewer blocks instead, of which the first may suffice. */
const PAGES_MAX = 10;

/** Transactions with a call from or to the address, by `trace_filter`. Throws `SourceError`. */
export const listTraces = async (
  ask: Ask,
  address: string,
  { first, last }: Window,
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const blocks = { fromBlock: hex(first), toBlock: hex(last) };
  const traces: unknown[] = [];
  // Nodes differ in whether both sides in one question mean either or both.
  for (const side of ['fromAddress', 'toAddress']) {
    let before = '';
    for (let after = 0; ; after += PAGE) {
      const filter = { ...blocks, [side]: [address], after, count: PAGE };
      const [answer] = await ask([{ method: 'trace_filter', params: [filter] }], signal);
      const page = listed(answer);
      // Block rewards are listed, too, but belong to no transaction; the balance shows that they are missing.
      traces.push(...page.filter((trace) => typeof fieldOf(trace, 'transactionHash') === 'string'));
      // Some nodes have no pages and give all; others start over after the last page.
      const start = JSON.stringify(page[0]);
      if (page.length !== PAGE || start === before) break;
      if (first < last && after >= (PAGES_MAX - 1) * PAGE) throw tooMany('trace_filter', 'traces');
      before = start;
    }
  }
  return traces.map(toPlaced).map(({ hash, block }) => ({ id: hash, block }));
};
