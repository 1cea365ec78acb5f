import { setTimeout as sleep } from 'node:timers/promises';
import type { BlockSource, FetchResult } from '../../nodes/block-source.ts';
import { decodeAnswer } from '../../nodes/decode-answer.ts';
import { type RetryLimits, retryTransient, SourceError } from '../../nodes/source-error.ts';
import { BALANCES_NOT_CONTINUOUS } from '../balance-run.ts';
import { decodeSolanaBlock, TRANSACTION_REPEATED } from '../decode-solana-block.ts';
import { parseSolanaBlock } from '../encoding/parse-solana-block.ts';
import { REWARDS_ABSENT } from '../fee-rewards.ts';
import { blockOptions, createAskForBlock, type SolanaCommitment } from './ask-for-block.ts';
import { createSolanaRpc, parseResult, type SolanaRpc, type SolanaRpcOptions } from './solana-rpc.ts';
import { MEANING, toSourceError } from './solana-rpc-error.ts';

export type SolanaSourceOptions = SolanaRpcOptions & {
  readonly chain: string;
  /** `confirmed` is some seconds ahead and may be abandoned. Default: `finalized`. */
  readonly commitment?: SolanaCommitment;
  readonly retry?: RetryLimits;
};

const METHOD_NOT_FOUND = -32_601;

/** Leaders skip a handful of slots in a row. A longer outage holds the head until this is raised. */
const PROBES_MAX = 512;

/** Blocks of Solana from a node, with votes summed. */
export const createSolanaSource = (options: SolanaSourceOptions): BlockSource => {
  const { chain, commitment = 'finalized', retry } = options;
  const rpc = createSolanaRpc(options);
  const ask: Ask = { rpc, commitment, forBlock: createAskForBlock(rpc, commitment), keepsRewards: true };
  return {
    chain,
    head: (signal) =>
      retryTransient(
        async () => {
          const head = readSmall(await rpc.ask('getSlot', [{ commitment }], signal), 'getSlot');
          if (typeof head === 'number' && Number.isSafeInteger(head)) return head;
          throw new SourceError('rpc_error', 'getSlot: the answer is not a number', { transient: true });
        },
        signal,
        retry,
      ),
    fetch: (slot, signal) => retryTransient(() => fetchRewarded(ask, { chain, slot }, signal), signal, retry),
  };
};

type Ask = {
  readonly rpc: SolanaRpc;
  readonly commitment: SolanaCommitment;
  readonly forBlock: ReturnType<typeof createAskForBlock>;
  /** As its last block said. */
  keepsRewards: boolean;
};

/** Nodes write a block's rewards after the block (solana-labs/solana#30698). */
const REWARDS_WRITTEN_MS = 500;

/** A block without rewards is requested once more, unless the one before lacked them for good. */
const fetchRewarded = async (
  ask: Ask,
  at: { chain: string; slot: number },
  signal: AbortSignal,
): Promise<FetchResult> => {
  const first = await fetchBlock(ask, at, signal);
  if (!hasProblem(first, REWARDS_ABSENT)) {
    if (first.status === 'block') ask.keepsRewards = true;
    return first;
  }
  if (!ask.keepsRewards) return first;
  await sleep(REWARDS_WRITTEN_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  const second = await fetchBlock(ask, at, signal);
  ask.keepsRewards = !hasProblem(second, REWARDS_ABSENT);
  return second.status === 'block' ? second : first;
};

const hasProblem = (result: FetchResult, ...codes: readonly string[]): boolean =>
  result.status === 'block' && result.decoded.problems.some(({ code }) => codes.includes(code));

const fetchBlock = async (
  ask: Ask,
  { chain, slot }: { chain: string; slot: number },
  signal: AbortSignal,
): Promise<FetchResult> => {
  const { answer, refusal } = await ask.forBlock(slot, signal);
  if ('resultText' in answer)
    return refusal === null
      ? toFetchResult(answer.resultText, { chain, slot })
      : toBareResult(answer.resultText, { chain, slot }, refusal);
  const { failure } = answer;
  const meaning = MEANING.get(failure.code);
  if (meaning === 'not_yet') return { status: 'not_yet' };
  if (meaning === 'maybe_skipped') return findOutSkipped(ask, slot, signal);
  throw toSourceError(failure);
};

/** A node's answer for a slot. Throws `SourceError` `malformed`, also if the answer was cut off. */
export const toFetchResult = (
  resultText: string,
  { chain, slot }: { chain: string; slot: number },
): FetchResult => {
  // The answer for a slot that is not confirmed yet.
  if (resultText.trim() === 'null') return { status: 'not_yet' };
  const decoded = decodeAnswer(() =>
    decodeSolanaBlock({ block: parseSolanaBlock(resultText), slot, chain, votes: 'sum' }),
  );
  const result = { status: 'block', decoded } as const;
  const isPartial = hasProblem(result, REWARDS_ABSENT, BALANCES_NOT_CONTINUOUS, TRANSACTION_REPEATED);
  return isPartial ? { ...result, isPartial } : result;
};

/** A block whose transactions the node withholds: it must not look like an empty one. */
const toBareResult = (
  resultText: string,
  { chain, slot }: { chain: string; slot: number },
  refusal: string,
): FetchResult => {
  const header = parseSolanaBlock(resultText);
  if (header === null) return { status: 'not_yet' };
  const decoded = decodeAnswer(() =>
    decodeSolanaBlock({ block: { ...header, transactions: [] }, slot, chain, votes: 'sum' }),
  );
  const problem = { code: TRANSACTIONS_REFUSED, txIndex: null, message: refusal };
  return {
    status: 'block',
    decoded: { ...decoded, controlCoverage: 'none', problems: [...decoded.problems, problem] },
    isPartial: true,
  };
};

const TRANSACTIONS_REFUSED = 'transactions_refused';

/**
 * Whether the chain skipped a slot or the node lacks it. A later block whose parent is earlier proves a skip. A
 * later block whose parent is this slot proves that the node lacks it.
 */
const findOutSkipped = async (ask: Ask, slot: number, signal: AbortSignal): Promise<FetchResult> => {
  let later = await findLaterBlock(ask, slot, signal);
  let child: number | null = null;
  for (let probe = 0; later !== null && probe < PROBES_MAX; probe++) {
    const parent = await askParent(ask, later, child, signal);
    if (parent === null) return { status: 'not_yet' };
    if (parent < slot) return { status: 'skipped' };
    if (parent === slot) throw lacks(slot, later);
    // A block in between that the node's list omitted.
    child = later;
    later = parent;
  }
  return { status: 'not_yet' };
};

const lacks = (slot: number, later: number): SourceError =>
  new SourceError('block_unavailable', `the node lacks slot ${slot}, on which slot ${later} builds`, {
    transient: false,
  });

/** The first block after a slot that the node can show; null if it has none yet. */
const findLaterBlock = async (ask: Ask, slot: number, signal: AbortSignal): Promise<number | null> => {
  const { commitment, rpc } = ask;
  const answer = await rpc.ask('getBlocksWithLimit', [slot + 1, 1, { commitment }], signal);
  if ('failure' in answer && answer.failure.code === METHOD_NOT_FOUND)
    return probeLaterBlock(ask, slot, signal);
  const listed = readSmall(answer, 'getBlocksWithLimit');
  return Array.isArray(listed) && typeof listed[0] === 'number' ? listed[0] : null;
};

/** For nodes without block lists: one slot after the other. */
const probeLaterBlock = async (ask: Ask, slot: number, signal: AbortSignal): Promise<number | null> => {
  for (let later = slot + 1; later <= slot + PROBES_MAX; later++) {
    const answer = await ask.rpc.ask('getBlock', [later, blockOptions(ask.commitment, 'none')], signal);
    if (!('failure' in answer)) return later;
    const meaning = MEANING.get(answer.failure.code);
    if (meaning === 'not_yet') return null;
    if (meaning !== 'maybe_skipped') throw toSourceError(answer.failure);
  }
  return null;
};

/**
 * null if the block has left the node's view. A block that others build on was not skipped: a node that says so
 * began after it, from a snapshot.
 */
const askParent = async (
  ask: Ask,
  slot: number,
  child: number | null,
  signal: AbortSignal,
): Promise<number | null> => {
  const answer = await ask.rpc.ask('getBlock', [slot, blockOptions(ask.commitment, 'none')], signal);
  const meaning = 'failure' in answer ? MEANING.get(answer.failure.code) : undefined;
  if (meaning === 'not_yet') return null;
  if (meaning === 'maybe_skipped' && child !== null) throw lacks(slot, child);
  const block = readSmall(answer, 'getBlock');
  const parent =
    typeof block === 'object' && block !== null ? (block as { parentSlot?: unknown }).parentSlot : null;
  if (block === null) return null;
  if (typeof parent === 'number' && parent < slot) return parent;
  throw new SourceError('inconsistent', `slot ${slot} names no earlier slot as its parent`, {
    transient: true,
  });
};

type Answer = Awaited<ReturnType<SolanaRpc['ask']>>;

const readSmall = (answer: Answer, method: string): unknown => {
  if ('failure' in answer) throw toSourceError(answer.failure);
  return parseResult(answer.resultText, method);
};
