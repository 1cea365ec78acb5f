import { base58 } from '@scure/base';
import type { World } from '../create-world.ts';
import type { JsonTransaction } from '../solana-writer/compile-transaction.ts';
import { serializeTransaction } from '../solana-writer/serialize-transaction.ts';
import type { BlockStore } from './block-store.ts';
import { invalidParameters, methodNotFound, RpcError } from './rpc-error.ts';
import { getBalance, getTransaction, listSignatures, listTokenAccounts } from './solana-history.ts';

const CHAIN = 'solana';
const RANGE_LIMIT = 500_000;
const GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const FIRST_HEIGHT = 230_000_001;

type BlockOptions = {
  readonly encoding?: string;
  readonly transactionDetails?: string;
  readonly rewards?: boolean;
  readonly maxSupportedTransactionVersion?: number;
};
type JsonBlock = { transactions: JsonTransaction[]; rewards?: unknown };

const slotOf = (value: unknown, name: string): number => {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw invalidParameters(`Invalid params: ${name}`);
  return Number(value);
};

const encodeTransaction = (transaction: JsonTransaction, encoding: 'base64' | 'base58'): unknown => {
  const bytes = serializeTransaction(transaction);
  const text = encoding === 'base64' ? Buffer.from(bytes).toString('base64') : base58.encode(bytes);
  return { ...transaction, transaction: [text, encoding] };
};

/** The stored `json` text, changed only on request. */
const renderBlock = (json: string, options: BlockOptions): string => {
  const { encoding = 'json', transactionDetails = 'full', rewards = true } = options;
  const highest = options.maxSupportedTransactionVersion;
  if (encoding !== 'json' && encoding !== 'base64' && encoding !== 'base58') {
    throw invalidParameters(`unsupported encoding here: ${encoding}`);
  }
  if (encoding === 'json' && transactionDetails === 'full' && rewards && highest !== undefined) return json;
  const block = JSON.parse(json) as JsonBlock;
  if (highest === undefined && block.transactions.some(({ version }) => version === 0)) {
    throw new RpcError(
      -32_015,
      'Transaction version (0) is not supported by the requesting client. ' +
        'Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  if (!rewards) delete block.rewards;
  const { transactions, ...rest } = block;
  if (transactionDetails === 'none') return JSON.stringify(rest);
  if (transactionDetails === 'signatures') {
    const signatures = transactions.map(({ transaction }) => transaction.signatures[0]);
    return JSON.stringify({ ...rest, signatures });
  }
  if (encoding === 'json') return JSON.stringify(block);
  return JSON.stringify({
    ...rest,
    transactions: transactions.map((each) => encodeTransaction(each, encoding)),
  });
};

const getBlock = async (world: World, store: BlockStore, parameters: readonly unknown[]): Promise<string> => {
  const slot = slotOf(parameters[0], 'slot');
  const range = world.range[CHAIN] ?? { first: 0, last: 0 };
  if (slot > range.last) throw new RpcError(-32_004, `Block not available for slot ${slot}`);
  if (slot < range.first) {
    throw new RpcError(
      -32_001,
      `Block ${slot} cleaned up, does not exist on node. First available block: ${range.first}`,
    );
  }
  if (world.isSkipped(CHAIN, slot)) {
    throw new RpcError(-32_007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  }
  const json = await store.read(CHAIN, slot, 'block');
  if (json === null) throw new RpcError(-32_009, `Slot ${slot} was skipped, or missing in long-term storage`);
  return renderBlock(json, (parameters[1] ?? {}) as BlockOptions);
};

/** Slots with a block from `first` to `last`, at most `limit`. */
const listBlocks = (world: World, first: number, last: number, limit: number): string => {
  const range = world.range[CHAIN] ?? { first: 0, last: -1 };
  if (last - first > RANGE_LIMIT && limit > RANGE_LIMIT) {
    throw invalidParameters(`Slot range too large; max ${RANGE_LIMIT}`);
  }
  const slots: number[] = [];
  for (let slot = Math.max(first, range.first); slot <= Math.min(last, range.last); slot++) {
    if (slots.length >= limit) break;
    if (!world.isSkipped(CHAIN, slot)) slots.push(slot);
  }
  return JSON.stringify(slots);
};

type BlockTimed = { readonly blockTime?: number | null };

/** The JSON text of `result`; throws an RpcError as a node would answer one. */
export const answerSolana = async (
  world: World,
  store: BlockStore,
  method: string,
  parameters: readonly unknown[],
): Promise<string> => {
  const range = world.range[CHAIN] ?? { first: 0, last: 0 };
  const skippedBefore = (): number => {
    let skipped = 0;
    for (let slot = range.first; slot <= range.last; slot++) if (world.isSkipped(CHAIN, slot)) skipped++;
    return skipped;
  };
  const height = (): number => FIRST_HEIGHT + range.last - range.first - skippedBefore();
  switch (method) {
    case 'getSlot':
      return String(range.last);
    case 'getBlockHeight':
      return String(height());
    case 'getFirstAvailableBlock':
      return String(range.first);
    case 'getHealth':
      return '"ok"';
    case 'getGenesisHash':
      return JSON.stringify(GENESIS_HASH);
    case 'getEpochInfo':
      return JSON.stringify({
        absoluteSlot: range.last,
        blockHeight: height(),
        epoch: Math.floor(range.last / 432_000),
        slotIndex: range.last % 432_000,
        slotsInEpoch: 432_000,
        transactionCount: null,
      });
    case 'getBlock':
      return getBlock(world, store, parameters);
    case 'getBlockTime': {
      const { blockTime } = JSON.parse(await getBlock(world, store, parameters.slice(0, 1))) as BlockTimed;
      return String(blockTime ?? null);
    }
    case 'getBlocks': {
      const first = slotOf(parameters[0], 'start slot');
      const last = typeof parameters[1] === 'number' ? slotOf(parameters[1], 'end slot') : range.last;
      return listBlocks(world, first, last, Number.POSITIVE_INFINITY);
    }
    case 'getSignaturesForAddress':
      return listSignatures(world, store, parameters);
    case 'getTransaction':
      return getTransaction(world, store, parameters);
    case 'getBalance':
      return getBalance(world, store, parameters);
    case 'getTokenAccountsByOwner':
      return listTokenAccounts(world, store, parameters);
    case 'getBlocksWithLimit':
      return listBlocks(
        world,
        slotOf(parameters[0], 'start slot'),
        range.last,
        slotOf(parameters[1], 'limit'),
      );
    default:
      throw methodNotFound(method);
  }
};
