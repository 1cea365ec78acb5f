import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ChainProgress } from './start-ingest.ts';

type Counted = Pick<ChainProgress, 'chain' | 'head' | 'indexed' | 'blocks' | 'transfers'>;

/** What arrived of one chain since the last line. */
export type ProgressLine = {
  readonly chain: string;
  /** Since the process started. */
  readonly blocks: number;
  readonly transfers: number;
  readonly blocks_per_second: number;
  readonly transfers_per_second: number;
  /** Newest block in the log. */
  readonly block: number | null;
  readonly blocks_behind: number | null;
};

/** How often a chain behind its head is reported, and one at it. */
const EVERY_MS = { terminal: 5_000, elsewhere: 30_000 };
const AT_HEAD_MS = 60_000;
/** A chain moves by a few blocks between two looks. */
const AT_HEAD_BLOCKS = 20;

/** Logs arriving blocks and transfers, their rate, and the distance to the head, until `stop`. */
export const logProgress = (
  progress: readonly Counted[],
  logger: Logger,
  clock: Clock,
): { readonly stop: () => void } => {
  const look = watchProgress(progress, clock);
  const tell = (): void => {
    for (const line of look()) logger.info({ ingested: line }, inWords(line));
  };
  const timer = setInterval(tell, process.stderr.isTTY ? EVERY_MS.terminal : EVERY_MS.elsewhere);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};

/** Each call returns a line for every chain with new blocks; for one at its head only once a minute. */
export const watchProgress = (progress: readonly Counted[], clock: Clock): (() => ProgressLine[]) => {
  const told = new Map(
    progress.map(({ chain, blocks, transfers }) => [
      chain,
      { blocks, transfers, unixMs: clock.nowUnixMs(), isAtHead: false },
    ]),
  );
  return () =>
    progress.flatMap(({ chain, head, indexed, blocks, transfers }) => {
      const last = told.get(chain);
      const nowUnixMs = clock.nowUnixMs();
      if (!last || blocks === last.blocks) return [];
      const behind = head === null || indexed === null ? null : Math.max(0, head - indexed);
      const isAtHead = behind !== null && behind <= AT_HEAD_BLOCKS;
      if (isAtHead && last.isAtHead && nowUnixMs - last.unixMs < AT_HEAD_MS) return [];
      told.set(chain, { blocks, transfers, unixMs: nowUnixMs, isAtHead });
      const seconds = Math.max(0.001, (nowUnixMs - last.unixMs) / 1_000);
      const perSecond = (count: number): number => Math.round((10 * count) / seconds) / 10;
      return {
        ...{ chain, blocks, transfers, block: indexed, blocks_behind: behind },
        blocks_per_second: perSecond(blocks - last.blocks),
        transfers_per_second: perSecond(transfers - last.transfers),
      };
    });
};

export const inWords = (line: ProgressLine): string => {
  const { chain, blocks, transfers, blocks_behind: behind } = line;
  const rate = `${inDigits(line.blocks_per_second)} blocks/s, ${inDigits(line.transfers_per_second)} transfers/s`;
  const where =
    behind === 0 ? 'at the head' : behind === null ? null : `${inDigits(behind)} blocks behind the head`;
  const counts = `${inDigits(blocks)} blocks, ${inDigits(transfers)} transfers`;
  return [`${chain}: ${counts}`, rate, where].filter((part) => part !== null).join(', ');
};

const inDigits = (count: number): string => count.toLocaleString('en-US', { maximumFractionDigits: 1 });
