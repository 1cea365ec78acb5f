import { NATIVE } from '../../investigate/model/movement.ts';
import type { World } from '../create-world.ts';
import type { BlockStore } from './block-store.ts';
import {
  evmHistoryOf,
  framesOf,
  type JsonLog,
  type PlacedFrame,
  readWhole,
  type WholeBlock,
} from './evm-history.ts';
import { invalidParameters } from './rpc-error.ts';

const CHAIN = 'ethereum';
/** Any code that is no delegation. */
const SOME_CODE = '0xfe';

type Asked = {
  readonly world: World;
  readonly store: BlockStore;
  /** The number of a block that a caller names, or of the newest one. */
  readonly numberOf: (value: unknown) => number;
};

const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
const addressOf = (value: unknown): string => String(value).toLowerCase();

/** `eth_getTransactionCount`: how many the address had sent up to this block. */
export const countSent = async ({ world, store, numberOf }: Asked, [who, at]: readonly unknown[]) => {
  const sent = (await evmHistoryOf(world, store)).sent.get(addressOf(who)) ?? [];
  const until = numberOf(at);
  return JSON.stringify(hex(sent.filter(({ block }) => block <= until).length));
};

/** `eth_getTransactionBySenderAndNonce`. */
export const findSent = async ({ world, store }: Asked, [who, nonce]: readonly unknown[]) => {
  const sent = (await evmHistoryOf(world, store)).sent.get(addressOf(who)) ?? [];
  const found = sent[Number(nonce)];
  return found === undefined ? 'null' : getTransaction(store, found.hash);
};

/** `eth_getTransactionByHash` of an already generated block. */
export const getTransaction = async (store: BlockStore, hash: unknown): Promise<string> => {
  const place = store.findTransaction(String(hash));
  const whole = place && (await readWhole(store, place.number));
  return JSON.stringify((whole && place && whole.block.transactions[place.index]) ?? null);
};

/** `debug_traceTransaction` of an already generated block. */
export const traceTransaction = async (store: BlockStore, hash: unknown): Promise<string> => {
  const place = store.findTransaction(String(hash));
  const whole = place && (await readWhole(store, place.number));
  const trace = whole && place && whole.traces[place.index];
  if (!trace) throw invalidParameters('transaction not found');
  return JSON.stringify(trace.result);
};

/** `eth_getBalance` after this block. */
export const balanceAt = async ({ world, store, numberOf }: Asked, [who, at]: readonly unknown[]) => {
  const address = addressOf(who);
  const block = numberOf(at);
  const changes = (await evmHistoryOf(world, store)).changes.get(address) ?? [];
  const later = changes.filter((change) => change.block > block);
  const laterRaw = later.reduce((sum, { changeRaw }) => sum + changeRaw, 0n);
  return JSON.stringify(hex(world.balance(CHAIN, address, NATIVE) - laterRaw));
};

/** `eth_getCode`; whoever has code always had it. */
export const codeOf = async ({ world, store }: Asked, [who]: readonly unknown[]) => {
  const { contracts } = await evmHistoryOf(world, store);
  return JSON.stringify(contracts.has(addressOf(who)) ? SOME_CODE : '0x');
};

type Many = string | readonly string[] | null | undefined;
const listOf = (value: Many): readonly string[] | null =>
  value === null || value === undefined ? null : [value].flat().map(addressOf);

/** Blocks in the window that have one of these keys; of any keys where none is named. */
const blocksWithin = (
  { numberOf, world }: Asked,
  { fromBlock, toBlock }: { fromBlock?: unknown; toBlock?: unknown },
  keys: { readonly index: ReadonlyMap<string, readonly number[]>; readonly words: readonly string[] | null },
): readonly number[] => {
  const range = world.range[CHAIN] ?? { first: 0, last: -1 };
  const first = Math.max(range.first, numberOf(fromBlock ?? 'latest'));
  const last = Math.min(range.last, numberOf(toBlock ?? 'latest'));
  const { index, words } = keys;
  if (words === null) return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
  const found = new Set(words.flatMap((word) => index.get(word) ?? []));
  return [...found].filter((block) => first <= block && block <= last).sort((a, b) => a - b);
};

/** `eth_getLogs`. */
export const getLogs = async (asked: Asked, [filter]: readonly unknown[]): Promise<string> => {
  type Filter = { fromBlock?: unknown; toBlock?: unknown; address?: Many; topics?: readonly Many[] };
  const { address, topics = [], ...window } = (filter ?? {}) as Filter;
  const emitters = listOf(address);
  const wanted = topics.map(listOf);
  const { logged } = await evmHistoryOf(asked.world, asked.store);
  // Of the words that a log must have, the parties of its event are the rarest.
  const words = wanted.slice(1).find((each) => each !== null) ?? emitters ?? wanted[0] ?? null;
  const fits = (log: JsonLog): boolean =>
    (emitters?.includes(log.address) ?? true) &&
    wanted.every((each, at) => {
      const topic = log.topics[at];
      return topic !== undefined && (each?.includes(topic) ?? true);
    });
  const logs: JsonLog[] = [];
  for (const block of blocksWithin(asked, window, { index: logged, words })) {
    const { receipts = [] } = (await readWhole(asked.store, block)) ?? {};
    logs.push(...receipts.flatMap((receipt) => receipt.logs.filter(fits)));
  }
  return JSON.stringify(logs);
};

/** `trace_filter`: calls from and to the named addresses, in pages. */
export const filterTraces = async (asked: Asked, [filter]: readonly unknown[]): Promise<string> => {
  type Filter = { fromAddress?: Many; toAddress?: Many; after?: number; count?: number };
  const { fromAddress, toAddress, after = 0, count = Infinity, ...window } = (filter ?? {}) as Filter;
  const [from, to] = [listOf(fromAddress), listOf(toAddress)];
  const { called } = await evmHistoryOf(asked.world, asked.store);
  const traces: object[] = [];
  for (const number of blocksWithin(asked, window, { index: called, words: from ?? to })) {
    const whole = await readWhole(asked.store, number);
    const fits = ({ frame }: PlacedFrame): boolean =>
      (from?.includes(frame.from) ?? true) && (to?.includes(frame.to) ?? true);
    if (whole !== null) traces.push(...flatTraces(whole, fits));
  }
  return JSON.stringify(traces.slice(after, after + count));
};

const flatTraces = (
  { number, block, traces }: WholeBlock,
  fits: (placed: PlacedFrame) => boolean,
): object[] =>
  traces.flatMap(({ txHash, result }, transactionPosition) =>
    framesOf(result)
      .filter(fits)
      .map(
        ({ frame: { from, to, value, gas, gasUsed, input, output = '0x', error, calls, type }, path }) => ({
          action: { callType: 'call', from, to, gas, input, value },
          blockHash: block.hash,
          blockNumber: number,
          ...(error === undefined ? { result: { gasUsed, output } } : { error }),
          subtraces: calls?.length ?? 0,
          traceAddress: path,
          transactionHash: txHash,
          transactionPosition,
          type: type === 'CREATE' ? 'create' : 'call',
        }),
      ),
  );
