import { setTimeout as sleep } from 'node:timers/promises';
import type { TransactionEncoder } from '../../events/encode-block.ts';
import type { HistoryEvents } from '../../events/history-events.ts';
import { historyKey } from '../../events/history-key.ts';
import { WALLETS_ASKED, type WalletAsked, type WalletEvents } from '../../events/wallet-events.ts';
import type { DecodedBlock, DecodeProblem } from '../../investigate/model/block.ts';
import type { Clock } from '../../platform/clock.ts';
import { deadLetter, type SentDeadLetter } from '../../platform/event-log/dead-letters.ts';
import {
  type AppendRecord,
  type Consumer,
  type EventLog,
  LogError,
  type StoredRecord,
} from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import { messageOf } from '../../platform/message-of.ts';
import { retryForever } from '../../platform/retry.ts';
import type { HistoryRequest, HistoryStep } from '../history/read-history.ts';
import type { HistoryCoverage } from '../history/summarise.ts';
import { isLost, untilWritten } from '../until-written.ts';
import { type QueuedWallet, WalletQueue } from './wallet-queue.ts';

/** A chain's final transactions of one address at a time. */
export type WalletSource = {
  readonly chain: string;
  /** Whether a node knows any transaction or holding of it, if that is cheaper than reading the history. */
  isUsed?(address: string, signal: AbortSignal): Promise<boolean>;
  /** Throws `SourceError`, or the signal's reason. */
  read(request: HistoryRequest, signal: AbortSignal): AsyncGenerator<HistoryStep, HistoryCoverage>;
};

export type ReadWalletsOptions = {
  readonly log: EventLog;
  readonly wallets: WalletEvents;
  readonly histories: HistoryEvents;
  readonly encode: TransactionEncoder;
  /** Wallets of other chains are skipped: the processes that follow those chains read them. */
  readonly source: WalletSource;
  readonly limits: {
    /** Of one wallet, whatever was asked for. */
    readonly transactionsMax: number;
    /** Limit for one wallet, so that the next in line does not wait longer. */
    readonly timeMs: number;
    /** For a wallet that its node reports as never used. */
    readonly unusedTimeMs: number;
    /** Wallets that are read at the same time, if the node keeps up. */
    readonly atOnce: number;
    /** A wallet that was read this recently is not read again. */
    readonly freshMs: number;
  };
  readonly clock: Clock;
  readonly events: {
    read(wallet: { chain: string; wallet: string; transactions: number; coverage: Coverage }): void;
    failed(wallet: { chain: string; wallet: string; error: unknown }): void;
    problem(at: { block: number; problem: DecodeProblem }): void;
    deadLetter(letter: SentDeadLetter): void;
    /** For the log line. */
    waiting(error: unknown, waitMs: number): void;
  };
};

type Coverage = HistoryCoverage | 'time_ran_out' | 'node_failed' | 'too_large_left_out';

const TOPIC = 'transfers.history';
const POLL_MS = 500;
const POLL_BYTES = 1 << 20;
/** An append becomes visible at once, and is what a crash repeats. */
const APPEND_MAX = 50;
const REMEMBERED_MAX = 10_000;
const GOES_ON: readonly Coverage[] = ['node_failed', 'time_ran_out', 'older_left_out'];

/**
 * Backfills wallets of a chain on request, several at once and those of charged calls first, as
 * `TransactionTransfers`: the tables show each transaction once, even if it is read twice. Runs until the
 * signal. Waits while another process does it, and while the log is unavailable. Throws `FencedError` when
 * another process took over.
 */
export const readWallets = async (options: ReadWalletsOptions, signal: AbortSignal): Promise<void> => {
  const { log, source } = options;
  const group = `wallets-${source.chain}`;
  const { waiting: onWait } = options.events;
  const consumer = await holdGroup(log, { group, topics: [WALLETS_ASKED], signal, onWait });
  if (!consumer) return;
  try {
    await serveLine(options, consumer, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await consumer.close();
  }
};

const serveLine = async (
  options: ReadWalletsOptions,
  consumer: Consumer,
  signal: AbortSignal,
): Promise<void> => {
  const { limits, events } = options;
  const { waiting: onWait } = events;
  const recent = new RecentlyRead(options);
  const line = new WalletQueue();
  const running = new Set<Promise<void>>();
  let atOnce = limits.atOnce;
  let failure: unknown = null;
  // One transaction after the other: an event log runs one of each consumer at a time.
  const done: { place: QueuedWallet; records: AppendRecord[] }[] = [];
  const commitDone = async (): Promise<void> => {
    for (const { place, records } of done.splice(0)) {
      line.finish(place);
      const commits = line.commits(place);
      await untilWritten(() => consumer.transact({ records, commits }), { signal, onWait });
    }
  };
  const read = async (place: QueuedWallet, asked: WalletAsked): Promise<void> => {
    const { note, coverage } = await answer(options, asked, signal);
    // Whoever asks again for what failed or was cut goes on from there at once.
    if (GOES_ON.includes(coverage)) recent.remove(asked);
    atOnce = coverage === 'node_failed' ? Math.max(1, atOnce >> 1) : Math.min(limits.atOnce, atOnce + 1);
    done.push({ place, records: [note] });
  };
  const begin = (): void => {
    while (running.size < atOnce) {
      const place = line.next();
      if (place === null) return;
      const { asked, letter } = place;
      if (asked === null || asked.chain !== options.source.chain || recent.has(asked)) {
        done.push({ place, records: letter });
        continue;
      }
      recent.add(asked);
      const reading: Promise<void> = read(place, asked)
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => running.delete(reading));
      running.add(reading);
    }
  };
  try {
    while (!signal.aborted) {
      const poll = () => consumer.poll({ maxBytes: POLL_BYTES, waitMs: running.size > 0 ? 0 : POLL_MS });
      const batch = await retryForever(poll, { signal, onWait, isFinal: isLost });
      for (const record of batch?.records ?? []) line.add(record, readAsked(options, record));
      begin();
      if (running.size > 0 && done.length === 0) await Promise.race([...running, pause(signal)]);
      await commitDone();
      if (failure !== null) throw failure;
    }
  } finally {
    await Promise.all(running);
  }
};

const pause = (signal: AbortSignal): Promise<void> =>
  sleep(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined);

/** The request in a record; if it can never be read, a dead letter with the reason. */
const readAsked = (
  { wallets, events }: ReadWalletsOptions,
  { topic, partition, offset, value }: StoredRecord,
): { asked: WalletAsked | null; letter: AppendRecord[] } => {
  try {
    return { asked: wallets.decodeAsked(value), letter: [] };
  } catch (error) {
    const sent = { topic, source: `${topic}/${partition}/${offset}`, reason: messageOf(error) };
    events.deadLetter(sent);
    return { asked: null, letter: [deadLetter({ ...sent, original: value })] };
  }
};

const answer = async (
  options: ReadWalletsOptions,
  asked: WalletAsked,
  signal: AbortSignal,
): Promise<{ note: AppendRecord; coverage: Coverage }> => {
  const { chain, wallet } = asked;
  const { transactions, coverage } = await readOne(options, options.source, asked, signal);
  const readAtUnixSeconds = Math.floor(options.clock.nowUnixMs() / 1_000);
  const isPart = !isWhole(asked);
  const note = options.wallets.read({ chain, wallet, transactions, coverage, readAtUnixSeconds, isPart });
  options.events.read({ chain, wallet, transactions, coverage });
  return { note, coverage };
};

const isWhole = ({ asset, side, first, last }: WalletAsked): boolean =>
  asset === null && side === 'both' && (first ?? 0) === 0 && last === null;

const requestOf = ({ wallet, first, limit, ...asked }: WalletAsked, limitMax: number): HistoryRequest => ({
  ...{ address: wallet, first: first ?? 0, limit: Math.min(limit, limitMax) },
  ...{ asset: asked.asset, side: asked.side, last: asked.last, order: asked.order },
});

/** Keeps what was read before a limit or a failure of the node. */
const readOne = async (
  { log, encode, histories, limits, events }: ReadWalletsOptions,
  source: WalletSource,
  asked: WalletAsked,
  signal: AbortSignal,
): Promise<{ transactions: number; coverage: Coverage }> => {
  const { chain } = source;
  const { wallet } = asked;
  let limited = AbortSignal.any([signal, AbortSignal.timeout(limits.timeMs)]);
  let transactions = 0;
  let waiting: AppendRecord[] = [];
  const append = async (): Promise<void> => {
    const records = waiting;
    waiting = [];
    if (records.length > 0) await untilWritten(() => log.append(records), { signal, onWait: events.waiting });
    transactions += records.filter(({ topic }) => topic === TOPIC).length;
  };
  /** False when the block is too large for a record. */
  const take = async (block: DecodedBlock): Promise<boolean> => {
    for (const problem of block.problems) events.problem({ block: block.number, problem });
    const value = encode(block);
    if (value === null) return false;
    waiting.push({ topic: TOPIC, key: historyKey(chain, block.number), value });
    if (waiting.length >= APPEND_MAX) await append();
    return true;
  };
  const readAll = async (): Promise<Coverage> => {
    // Anybody can make up addresses, and each would occupy the node as long as a real one.
    const isUsed = (await source.isUsed?.(wallet, limited)) ?? true;
    if (!isUsed) limited = AbortSignal.any([limited, AbortSignal.timeout(limits.unusedTimeMs)]);
    const reading = source.read(requestOf(asked, limits.transactionsMax), limited);
    let isTooLarge = false;
    for (;;) {
      const { done, value } = await reading.next();
      if (done) return isTooLarge ? 'too_large_left_out' : value;
      if (value.type === 'window') {
        // It follows what it holds, in one log, so whoever reads it can wait for the tables.
        await append();
        if (!isTooLarge) waiting.push(histories.listed(value.window));
        continue;
      }
      const isTaken = await take(value.block);
      isTooLarge ||= !isTaken;
    }
  };
  const whyEnded = (error: unknown): Coverage => {
    signal.throwIfAborted();
    if (error instanceof LogError) throw error;
    if (limited.aborted) return 'time_ran_out';
    // A retry would fail again while other wallets wait. An error of ours counts as the node's failure, too.
    events.failed({ chain, wallet, error });
    return 'node_failed';
  };
  const coverage = await readAll().catch(whyEnded);
  await append();
  return { transactions, coverage };
};

/**
 * Wallets that are being read, or were within the time that an answer stays fresh. The oldest are dropped
 * first.
 */
class RecentlyRead {
  readonly #at = new Map<string, number>();
  readonly #clock: Clock;
  readonly #freshMs: number;

  constructor({ clock, limits }: Pick<ReadWalletsOptions, 'clock' | 'limits'>) {
    this.#clock = clock;
    this.#freshMs = limits.freshMs;
  }

  has(asked: WalletAsked): boolean {
    const at = this.#at.get(partOf(asked));
    return at !== undefined && this.#clock.nowUnixMs() - at < this.#freshMs;
  }

  remove(asked: WalletAsked): void {
    this.#at.delete(partOf(asked));
  }

  add(asked: WalletAsked): void {
    const key = partOf(asked);
    this.#at.delete(key);
    this.#at.set(key, this.#clock.nowUnixMs());
    const [oldest] = this.#at.keys();
    if (this.#at.size > REMEMBERED_MAX && oldest !== undefined) this.#at.delete(oldest);
  }
}

const partOf = ({ askedAtUnixSeconds, isPaid, ...part }: WalletAsked): string =>
  JSON.stringify(Object.values(part));
