import { decodeAnswer, malformed } from '../nodes/decode-answer.ts';
import { inconsistent } from '../nodes/source-error.ts';
import type { EvmRpc, RpcAnswer } from './evm-rpc.ts';
import { fieldOf, readArray, readHash } from './read-hex.ts';
import { numberOf, resultOf } from './rpc-answer.ts';

/** Topics in order: a value, one of several, or any (null). */
export type Topics = readonly (string | readonly string[] | null)[];
export type Span = { readonly first: number; readonly last: number };
/** A transaction by its hash, and its block's number. */
export type Placed = { readonly hash: string; readonly block: number };

type Question = { readonly topics: Topics; readonly span: Span; readonly emitter: string | undefined };

/** The lowest limit known of any node. */
const CUT_FROM = 100;

/**
 * The transactions of logs with these topics, of one contract if it is named. Nodes may silently cut at a limit, so both ends of a long list are
 * requested again. If the node knows more there, this throws `SourceError`, and a smaller span may help.
 */
export const fetchLogs = async (
  ask: EvmRpc['ask'],
  sides: readonly Topics[],
  span: Span,
  signal: AbortSignal,
  emitter?: string,
): Promise<Placed[]> => {
  const listAll = async (questions: readonly Question[]): Promise<Placed[][]> =>
    (await ask(questions.map(toCall), signal)).map((answer) => listed(answer).map(toPlaced));
  const lists = await listAll(sides.map((topics) => ({ topics, span, emitter })));
  const long = lists.flatMap((list, side) => {
    const topics = sides[side];
    if (topics === undefined || list.length < CUT_FROM) return [];
    return endsOf(list, span).map((end) => ({ topics, span: end, emitter, known: countWithin(list, end) }));
  });
  const again = await listAll(long);
  if (long.some(({ known }, at) => again[at]?.length !== known))
    throw inconsistent('the node listed some of the logs and did not say so');
  return lists.flat();
};

export const hex = (number: number): string => `0x${number.toString(16)}`;

const toCall = ({ topics, span: { first, last }, emitter }: Question) => ({
  method: 'eth_getLogs',
  params: [
    {
      fromBlock: hex(first),
      toBlock: hex(last),
      topics,
      ...(emitter === undefined ? {} : { address: emitter }),
    },
  ],
});

/** Logs beyond both ends, and the blocks there: a limit may drop the oldest, the newest, or part of a block. */
const endsOf = (list: readonly Placed[], { first, last }: Span): readonly Span[] => {
  const blocks = list.map(({ block }) => block).sort((a, b) => a - b);
  const [oldest = first, newest = last] = [blocks[0], blocks.at(-1)];
  const edges = [
    [first, oldest - 1],
    [oldest, oldest],
    [newest, newest],
    [newest + 1, last],
  ] as const;
  return edges.filter(([from, to]) => from <= to).map(([from, to]) => ({ first: from, last: to }));
};

const countWithin = (list: readonly Placed[], { first, last }: Span): number =>
  list.filter(({ block }) => first <= block && block <= last).length;

/** Missing history must never look like an empty one. */
export const listed = (answer: RpcAnswer | undefined): readonly unknown[] =>
  decodeAnswer(() => readArray(resultOf(answer), 'the list of logs or traces'));

/** Hex numbers differ in length, so they are compared as numbers. */
export const toPlaced = (entry: unknown): Placed => ({
  hash: decodeAnswer(() => readHash(fieldOf(entry, 'transactionHash'), 'transactionHash of a log')),
  block: readNumber(fieldOf(entry, 'blockNumber'), 'a log or a trace without the number of its block'),
});

export const readNumber = (value: unknown, reason: string): number => {
  const number = numberOf(value);
  if (number === null) throw malformed(reason);
  return number;
};
