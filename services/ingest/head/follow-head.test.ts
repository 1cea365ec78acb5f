import { expect, test } from 'vitest';
import { LogFileError } from '../../platform/event-log/embedded/log-file-error.ts';
import { type EventLog, FencedError } from '../../platform/event-log/event-log.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { followChain, readStanding, untilHeld } from '../../testing/follow-chain.ts';
import { ForkingChain } from '../../testing/nodes/forking-chain.ts';
import { PATIENCE } from '../../testing/patience.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { BlockSource } from '../nodes/block-source.ts';
import { SourceError } from '../nodes/source-error.ts';

const openEmptyStore = () =>
  openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });

/** A log whose disk refuses what is appended while `refuses` says so. */
const refusing = (log: EventLog, refuses: () => Error | null): EventLog => ({
  ...log,
  append: async (records) => {
    const error = refuses();
    if (error) throw error;
    return log.append(records);
  },
});

test('blocks that a full log refuses are kept until there is room, while that is said, and none is lost', async () => {
  const store = await openEmptyStore();
  try {
    const chain = new ForkingChain();
    chain.grow(1, 1);
    let refusals = 3;
    const full = new LogFileError('log_disk_full', 'the disk is full');
    const log = refusing(store.log, () => (chain.blocks.length > 2 && refusals-- > 0 ? full : null));
    const waited: unknown[] = [];
    const events = {
      progress: () => {},
      stored: () => {},
      retracted: () => {},
      problem: () => {},
      waiting: (error: unknown) => waited.push(error),
    };
    const following = followChain(store, chain, { log, events });
    await untilHeld(store, { chain: 'solana', hash: chain.tip.hash, following });
    chain.abandon(1);
    chain.grow(1, 1);
    await untilHeld(store, { chain: 'solana', hash: chain.tip.hash, following });
    await following.stop();
    expect(waited).toEqual([full, full, full]);
    const standing = await readStanding(store, 'solana');
    expect(standing.map(({ hash }) => hash)).toEqual(chain.blocks.map(({ hash }) => hash));
  } finally {
    await store.close();
  }
});

test('what stands before a block that cannot be told now is stored, and what stands behind it is not read meanwhile', async () => {
  const store = await openEmptyStore();
  try {
    const chain = new ForkingChain();
    chain.grow(1, 1, 1, 1, 1, 1);
    const [first, second, third, fourth] = chain.blocks.map(({ number }) => number);
    const asked: number[] = [];
    let isToldNow = false;
    const fetch: BlockSource['fetch'] = async (number) => {
      asked.push(number);
      if (number === third && !isToldNow) throw new SourceError('rpc_error', 'not now', { transient: true });
      return chain.fetch(number);
    };
    const timesAsked = (number: number | undefined) => asked.filter((one) => one === number).length;
    const source = { chain: chain.chain, head: () => chain.head(), fetch };
    const following = followChain(store, source, { firstBlock: first ?? 0 });
    await expect.poll(() => timesAsked(third), PATIENCE).toBe(4);
    const standing = await readStanding(store, 'solana');
    expect(standing.map(({ number }) => number)).toEqual([first, second]);
    isToldNow = true;
    await untilHeld(store, { chain: 'solana', hash: chain.tip.hash, following });
    await following.stop();
    // Once beside the one that failed, and once in its turn.
    expect(timesAsked(fourth)).toBe(2);
  } finally {
    await store.close();
  }
});

test('a process in whose place another one writes follows its chain no longer', async () => {
  const store = await openEmptyStore();
  try {
    const chain = new ForkingChain();
    chain.grow(1);
    const log = refusing(store.log, () => new FencedError('head-solana'));
    await expect(followChain(store, chain, { log }).ended).rejects.toBeInstanceOf(FencedError);
  } finally {
    await store.close();
  }
});
