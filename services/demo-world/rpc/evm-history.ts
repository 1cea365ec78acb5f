import type { World } from '../create-world.ts';
import type { Frame } from '../evm-writer/frames.ts';
import type { BlockPart, BlockStore } from './block-store.ts';

const CHAIN = 'ethereum';
const WEI_PER_GWEI = 1_000_000_000n;

export type JsonLog = { readonly address: string; readonly topics: readonly string[] };
export type JsonTransaction = { readonly hash: string; readonly from: string };
export type JsonReceipt = {
  readonly transactionHash: string;
  readonly from: string;
  readonly gasUsed: string;
  readonly effectiveGasPrice: string;
  readonly logs: readonly JsonLog[];
};
export type JsonTrace = { readonly txHash: string; readonly result: Frame };
type JsonBlock = {
  readonly hash: string;
  readonly miner: string;
  readonly baseFeePerGas: string;
  readonly transactions: readonly JsonTransaction[];
  readonly withdrawals: readonly { readonly address: string; readonly amount: string }[];
};
export type WholeBlock = {
  readonly number: number;
  readonly block: JsonBlock;
  readonly receipts: readonly JsonReceipt[];
  readonly traces: readonly JsonTrace[];
};

/** What an archive node keeps beside its blocks, by address; blocks ascend. */
export type EvmHistory = {
  /** Blocks with a log that the address emitted, or that has this word as a topic. */
  readonly logged: ReadonlyMap<string, readonly number[]>;
  /** Blocks with a call from or to the address. */
  readonly called: ReadonlyMap<string, readonly number[]>;
  /** What each sender signed, by nonce. */
  readonly sent: ReadonlyMap<string, readonly { readonly block: number; readonly hash: string }[]>;
  /** Changes of coin balances, in wei. */
  readonly changes: ReadonlyMap<string, readonly { readonly block: number; readonly changeRaw: bigint }[]>;
  /** Contracts are called with data, created, or emit logs. */
  readonly contracts: ReadonlySet<string>;
};

// The world is read completely, at the first question by address.
const histories = new WeakMap<World, Promise<EvmHistory>>();

export const evmHistoryOf = (world: World, store: BlockStore): Promise<EvmHistory> => {
  const known = histories.get(world);
  if (known) return known;
  const history = readHistory(world, store);
  histories.set(world, history);
  return history;
};

/** null for a missing block. */
export const readWhole = async (store: BlockStore, number: number): Promise<WholeBlock | null> => {
  const part = async (name: BlockPart): Promise<unknown> =>
    JSON.parse((await store.read(CHAIN, number, name)) ?? 'null');
  const [block, receipts, traces] = await Promise.all([part('block'), part('receipts'), part('traces')]);
  return block === null ? null : ({ number, block, receipts, traces } as WholeBlock);
};

const readHistory = async (world: World, store: BlockStore): Promise<EvmHistory> => {
  const kept = new KeptHistory();
  const { first, last } = world.range[CHAIN] ?? { first: 0, last: -1 };
  for (let number = first; number <= last; number++) {
    const whole = await readWhole(store, number);
    if (whole !== null) kept.add(whole);
  }
  return kept;
};

class KeptHistory implements EvmHistory {
  readonly logged = new Map<string, number[]>();
  readonly called = new Map<string, number[]>();
  readonly sent = new Map<string, { block: number; hash: string }[]>();
  readonly changes = new Map<string, { block: number; changeRaw: bigint }[]>();
  readonly contracts = new Set<string>();

  add(whole: WholeBlock): void {
    const { number, block, receipts, traces } = whole;
    for (const { address, amount } of block.withdrawals)
      this.#change(number, address, BigInt(amount) * WEI_PER_GWEI);
    for (const { hash, from } of block.transactions) push(this.sent, from, { block: number, hash });
    for (const receipt of receipts) this.#addReceipt(whole, receipt);
    for (const { result } of traces) this.#addCalls(number, result);
  }

  #addReceipt({ number, block }: WholeBlock, receipt: JsonReceipt): void {
    const { from, gasUsed, effectiveGasPrice, logs } = receipt;
    const [gas, price] = [BigInt(gasUsed), BigInt(effectiveGasPrice)];
    this.#change(number, from, -gas * price);
    this.#change(number, block.miner, gas * (price - BigInt(block.baseFeePerGas)));
    for (const { address, topics } of logs) {
      this.contracts.add(address);
      for (const word of [address, ...topics]) note(this.logged, word, number);
    }
  }

  #addCalls(number: number, top: Frame): void {
    for (const { frame, isUndone } of framesOf(top)) {
      for (const party of [frame.from, frame.to]) note(this.called, party, number);
      if (frame.type === 'CREATE' || frame.input !== '0x') this.contracts.add(frame.to);
      if (isUndone) continue;
      this.#change(number, frame.from, -BigInt(frame.value));
      this.#change(number, frame.to, BigInt(frame.value));
    }
  }

  #change(block: number, address: string, changeRaw: bigint): void {
    if (changeRaw !== 0n) push(this.changes, address, { block, changeRaw });
  }
}

export type PlacedFrame = {
  readonly frame: Frame;
  readonly path: readonly number[];
  readonly isUndone: boolean;
};

/** A call and those within it, depth first. */
export const framesOf = (frame: Frame, path: readonly number[] = [], isInUndone = false): PlacedFrame[] => {
  const isUndone = isInUndone || frame.error !== undefined;
  const inner = (frame.calls ?? []).flatMap((call, at) => framesOf(call, [...path, at], isUndone));
  return [{ frame, path, isUndone }, ...inner];
};

const push = <T>(lists: Map<string, T[]>, key: string, value: T): void => {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
};

const note = (lists: Map<string, number[]>, key: string, block: number): void => {
  if (lists.get(key)?.at(-1) !== block) push(lists, key, block);
};
