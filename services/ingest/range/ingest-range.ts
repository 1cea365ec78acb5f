import type { BlockEncoder } from '../../events/encode-block.ts';
import { historyKey } from '../../events/history-key.ts';
import type { DecodedBlock, DecodeProblem } from '../../investigate/model/block.ts';
import type { AppendRecord, EventLog } from '../../platform/event-log/event-log.ts';
import { releaseValues } from '../../platform/release-buffers.ts';
import { retryForever } from '../../platform/retry.ts';
import { recordsOrDeadLetter } from '../block-records.ts';
import type { LastBlock } from '../head/read-next.ts';
import type { BlockSource, FetchResult } from '../nodes/block-source.ts';
import { inconsistent, SourceError } from '../nodes/source-error.ts';
import { isLost } from '../until-written.ts';
import { fetchAhead, type NumberRange } from './fetch-ahead.ts';
import type { FinishedRanges, Links } from './finished-ranges.ts';

export type RangeEvents = {
  /** These numbers are durable in the log. */
  stored(range: NumberRange & { blocks: number; movements: number }): void;
  problem(at: { block: number; problem: DecodeProblem }): void;
  waiting(error: unknown, waitMs: number): void;
};

export type RangeOptions = {
  /** Final blocks only: what is stored is never retracted. */
  readonly source: BlockSource;
  readonly log: EventLog;
  readonly encode: BlockEncoder;
  readonly finished: FinishedRanges;
  /** Blocks requested at once. */
  readonly parallel: number;
  /** How many times a failing node is asked for the same; by default without limit. */
  readonly triesMax?: number;
  readonly events: RangeEvents;
};

const TOPIC = 'transfers.history';
// An append is the step that a crash repeats: large enough to be cheap, small enough to repeat.
const APPEND = { numbersMax: 50, bytesMax: 8 << 20 };
// For six seconds: nodes behind one address may differ by that.
const LACKING_TRIES_MAX = 7;

/**
 * Writes a range's blocks into the log, each step with its note in the same append; finished parts are not
 * requested. Waits as long as nodes are out of reach. Throws a permanent `SourceError` (no node has the block), or
 * the signal's reason.
 */
export const ingestRange = async (
  options: RangeOptions,
  range: NumberRange,
  signal: AbortSignal,
): Promise<void> => {
  const { source, finished } = options;
  for (const missing of finished.missing(source.chain, range))
    await ingestAll(options, missing, finished.linksOf(source.chain, missing), signal);
};

/** The same for lost blocks, finished before or not. `links`: those of the lost range. */
export const ingestAll = async (
  options: RangeOptions,
  { first, last }: NumberRange,
  { before, parentOfNext }: Links,
  signal: AbortSignal,
): Promise<void> => {
  let next = first;
  let newest = before;
  const goOn = async (): Promise<void> => {
    const left = { first: next, last, before: newest, parentOfNext };
    for await (const done of steps(options, left, signal)) {
      next = done.number + 1;
      newest = done.lastBlock;
    }
  };
  await persist(goOn, options, signal);
};

/** Repeats while that can help. Throws a permanent `SourceError`, and what `isLost`. */
const persist = <T>(
  action: () => Promise<T>,
  { events, triesMax = Number.POSITIVE_INFINITY }: RangeOptions,
  signal: AbortSignal,
): Promise<T> => {
  let tries = 0;
  const attempt = async (): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof SourceError) || !error.transient || ++tries < triesMax) throw error;
      throw new SourceError(error.code, error.message, { transient: false, cause: error });
    }
  };
  const isFinal = (error: unknown): boolean =>
    isLost(error) || (error instanceof SourceError && !error.transient);
  return retryForever(attempt, { signal, onWait: events.waiting, isFinal });
};

/** One number is requested until it is settled; blocks fetched meanwhile are kept. */
const fetchSettled = (options: RangeOptions, number: number, signal: AbortSignal): Promise<FetchResult> => {
  let tries = 0;
  const attempt = async (): Promise<FetchResult> => {
    const fetched = await options.source.fetch(number, signal);
    if (fetched.status !== 'not_yet') return fetched;
    // Future blocks are waited for. A node past one that lacks it has pruned it.
    if (number > (await options.source.head(signal))) throw lacking(number, true);
    if (!fetched.isUnsure) tries += 1;
    throw lacking(number, tries < LACKING_TRIES_MAX);
  };
  return persist(attempt, options, signal);
};

const lacking = (number: number, transient: boolean): SourceError =>
  new SourceError('block_unavailable', `no node has block ${number}${transient ? ' yet' : ''}`, {
    transient,
  });

/** The newest block so far, which the next step builds on; null before the first. */
type Done = { readonly number: number; readonly lastBlock: LastBlock | null };

/** Yields the last number of each step when it is durable. */
async function* steps(
  options: RangeOptions,
  { before, parentOfNext, ...range }: NumberRange & Links,
  signal: AbortSignal,
): AsyncGenerator<Done> {
  const fetch = (number: number, stop: AbortSignal) => fetchSettled(options, number, stop);
  let step = new Step(options, range.first);
  let lastBlock = before;
  for await (const { number, fetched } of fetchAhead(fetch, range, options.parallel, signal)) {
    if (fetched.status === 'block') {
      const { decoded } = fetched;
      refuseStranger(decoded, lastBlock);
      lastBlock = { number: decoded.number, hash: decoded.hash };
      step.add(decoded);
    }
    if (number < range.last && !step.isFull(number)) continue;
    if (number === range.last) refuseLoose(lastBlock, parentOfNext);
    await step.append(number);
    yield { number, lastBlock };
    step = new Step(options, number + 1);
  }
}

/** Nodes of one chain disagree about its past: asked again, never stored side by side. */
const refuseStranger = (block: DecodedBlock, before: LastBlock | null): void => {
  if (!before) return;
  const parent = block.parentNumber ?? block.number - 1;
  if (parent === before.number && block.parentHash === before.hash) return;
  throw inconsistent(`block ${block.number} follows ${parent}, not block ${before.number} as it was given`);
};

/** The same for the known block after the range. */
const refuseLoose = (last: LastBlock | null, parentOfNext: string | null): void => {
  if (!last || parentOfNext === null || last.hash === parentOfNext) return;
  throw inconsistent(`block ${last.number} as it was given is not what the next one builds on`);
};

/** The records of some consecutive numbers. */
class Step {
  readonly #options: RangeOptions;
  readonly #first: number;
  readonly #records: AppendRecord[] = [];
  #bytes = 0;
  #blocks = 0;
  #movements = 0;
  #firstParentHash = '';
  #lastBlock: LastBlock = { number: -1, hash: '' };

  constructor(options: RangeOptions, first: number) {
    this.#options = options;
    this.#first = first;
  }

  add(block: DecodedBlock): void {
    const { encode, events } = this.#options;
    const key = historyKey(block.chain, block.number);
    const { records, problems } = recordsOrDeadLetter(block, encode, { topic: TOPIC, key });
    for (const problem of problems) events.problem({ block: block.number, problem });
    for (const record of records) {
      this.#records.push(record);
      this.#bytes += record.value.length;
    }
    if (this.#blocks === 0) this.#firstParentHash = block.parentHash;
    this.#blocks += 1;
    this.#movements += block.movements.length;
    this.#lastBlock = { number: block.number, hash: block.hash };
  }

  isFull(number: number): boolean {
    return number - this.#first + 1 >= APPEND.numbersMax || this.#bytes >= APPEND.bytesMax;
  }

  async append(last: number): Promise<void> {
    const { source, log, finished, events } = this.#options;
    const [first, blocks, movements] = [this.#first, this.#blocks, this.#movements];
    const done = {
      ...{ chain: source.chain, first, last, last_block: this.#lastBlock.number, blocks, movements },
      ...{ first_parent_hash: this.#firstParentHash, last_block_hash: this.#lastBlock.hash },
    };
    await log.append([...this.#records, finished.note(done)]);
    releaseValues(this.#records);
    finished.add(done);
    events.stored({ first, last, blocks, movements });
  }
}
