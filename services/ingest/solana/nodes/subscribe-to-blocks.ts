import type { BlockSource, FetchResult } from '../../nodes/block-source.ts';
import { SourceError } from '../../nodes/source-error.ts';
import { blockOptions, type SolanaCommitment } from './ask-for-block.ts';
import { isBlockNotification, type PushedBlock, readBlockNotification } from './block-notification.ts';
import { toFetchResult } from './fetch-solana-block.ts';
import { keepListening, type ListenOptions } from './keep-listening.ts';
import { SLOTS } from './subscribe-to-slots.ts';

export type BlockSubscriptionOptions = ListenOptions & {
  readonly commitment: SolanaCommitment;
  /** The code with which the node refused to push blocks; reported once. Slots are then subscribed. */
  readonly refused: (code: number) => void;
  /** Characters of pushed blocks that wait. */
  readonly heldMax?: number;
};

/** A dozen full blocks: a reader that is further behind requests them faster than they are pushed. */
const HELD_MAX = 64 << 20;
/** Answers to requests are short, so blocks need not be parsed to be told apart. */
const ANSWER_LENGTH_MAX = 10_000;

/**
 * The same blocks, with the head pushed by `blockSubscribe`. Blocks that were not pushed, or are needed again
 * after a reorganisation, come from `source`, so a lost connection loses no block. Pushed blocks are believed only
 * after one was equal to `source`'s, because this connection cannot be asked for its chain.
 */
export const subscribeToBlocks = (
  source: BlockSource,
  options: BlockSubscriptionOptions,
  signal: AbortSignal,
): BlockSource => {
  const held = createHeldBlocks(options.heldMax ?? HELD_MAX);
  let isRefused = false;
  const hear = (message: string, send: (answer: string) => void): boolean => {
    if (isBlockNotification(message)) {
      const block = readBlockNotification(message);
      if (block) held.put(block);
      return true;
    }
    const code = refusalIn(message);
    if (code === null) return SLOTS.hear(message, send);
    if (!isRefused) options.refused(code);
    isRefused = true;
    send(SLOTS.request);
    return false;
  };
  let isOfChain = false;
  const askAndCompare = async (slot: number, pushed: FetchResult | null, asking: AbortSignal) => {
    const told = await source.fetch(slot, asking);
    const hash = hashIn(pushed);
    isOfChain ||= hash !== null && hash === hashIn(told);
    return told;
  };
  const { moved } = keepListening(options, { request: requestOf(options), hear }, signal);
  return {
    ...source,
    headMoved: moved,
    head: async (asking) => (isOfChain ? held.newHead() : null) ?? source.head(asking),
    fetch: async (slot, asking) => {
      const block = held.take(slot);
      const isSkipped = block === 'skipped';
      const pushed = isSkipped ? ({ status: 'skipped' } as const) : block && decode(source.chain, block);
      return isOfChain && pushed ? pushed : askAndCompare(slot, pushed, asking);
    },
  };
};

const hashIn = (result: FetchResult | null): string | null =>
  result?.status === 'block' ? result.decoded.hash : null;

const requestOf = ({ commitment }: BlockSubscriptionOptions): string => {
  const { rewards, ...options } = blockOptions(commitment, 'full');
  const params = ['all', { ...options, showRewards: rewards }];
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'blockSubscribe', params });
};

const refusalIn = (message: string): number | null => {
  if (message.length > ANSWER_LENGTH_MAX || !message.includes('"error"')) return null;
  try {
    const { error } = JSON.parse(message) as { error?: { code?: unknown } };
    return error ? Number(error.code) : null;
  } catch {
    return null;
  }
};

/** null if it is incomplete or in another form: the node is then asked for it. */
const decode = (chain: string, { slot, resultText }: PushedBlock): FetchResult | null => {
  try {
    const result = toFetchResult(resultText, { chain, slot });
    return result.status === 'block' && result.isPartial ? null : result;
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
};

const createHeldBlocks = (heldMax: number) => {
  const blocks = new Map<number, PushedBlock>();
  let size = 0;
  let newest = -1;
  let told = -1;
  const drop = (block: PushedBlock): void => {
    blocks.delete(block.slot);
    size -= block.resultText.length;
  };
  return {
    put: (block: PushedBlock): void => {
      const before = blocks.get(block.slot);
      if (before) drop(before);
      blocks.set(block.slot, block);
      size += block.resultText.length;
      newest = Math.max(newest, block.slot);
      for (const oldest of blocks.values()) {
        if (size <= heldMax) break;
        drop(oldest);
      }
    },
    /** The newest pushed slot; null if nothing newer came since the last call. */
    newHead: (): number | null => {
      if (newest <= told) return null;
      told = newest;
      return newest;
    },
    /** Each block once. A slot is skipped if a later block jumps over it. */
    take: (slot: number): PushedBlock | 'skipped' | null => {
      const block = blocks.get(slot) ?? null;
      // Slots are requested in order: earlier ones are no longer needed.
      for (const each of blocks.values()) if (each.slot <= slot) drop(each);
      const isJumped = ({ parentSlot }: PushedBlock): boolean => parentSlot !== null && parentSlot < slot;
      return block ?? (blocks.values().some(isJumped) ? 'skipped' : null);
    },
  };
};
