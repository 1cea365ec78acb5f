import type { HistoryKind, Window } from '../../../investigate/model/history.ts';
import { NATIVE } from '../../../investigate/model/movement.ts';
import { fetchLogs, hex, type Topics } from '../../evm/fetch-logs.ts';
import { TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL } from '../../evm/read-log.ts';
import { failureOf, isTooLarge } from '../../evm/rpc-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type {
  HistoryPage,
  HistorySource,
  ListedTransaction,
  ListQuestion,
  Offers,
} from '../history-source.ts';
import { type SpanLimit, walkSpans } from '../walk-spans.ts';
import type { Ask } from './ask-node.ts';
import { findSends, hasSenderAndNonce } from './find-sends.ts';
import { listOtterscan } from './list-otterscan.ts';
import { listTraces } from './list-traces.ts';

/** Logs that name the wallet first: as sender of a token, or wrapping and unwrapping the coin. */
const NAMED_FIRST = [TRANSFER_TOPIC, WETH_DEPOSIT, WETH_WITHDRAWAL];

type Abilities = {
  traces: boolean;
  otterscan: boolean;
  senderAndNonce: boolean;
  /** Whether it keeps old states. */
  archive: boolean;
};

/**
 * What a plain node can list: tokens by their logs, what an account sent by its nonce, and calls where the node has
 * an index of them.
 */
export const createEvmNodeSource = (
  ask: Ask,
  headOf: (signal: AbortSignal) => Promise<{ readonly place: number }>,
): HistorySource => {
  const limit: SpanLimit = { max: null };
  let probing: Promise<Abilities> | null = null;
  const abilities = (signal: AbortSignal): Promise<Abilities> => {
    probing ??= probe(ask, headOf, signal).catch((error: unknown) => {
      probing = null;
      throw error;
    });
    return probing;
  };
  return {
    name: 'evm-node',
    isNode: true,
    probe: async (signal) => offersOf(await abilities(signal), limit),
    list: async function* (question, signal) {
      const able = await abilities(signal);
      const listSpan = (span: Window) => listWithin(ask, able, { ...question, ...span }, signal);
      for await (const { span, found } of walkSpans(question, limit, listSpan)) yield { ...span, ...found };
    },
  };
};

const offersOf = (able: Abilities, limit: SpanLimit): Offers => {
  const hasCalls = able.traces || able.otterscan;
  const calls: readonly HistoryKind[] = hasCalls ? ['received', 'internal'] : [];
  const sent: readonly HistoryKind[] = hasCalls || able.archive ? ['sent'] : [];
  const has = [
    ['eth_getLogs', true],
    ['trace_filter', able.traces],
    ['ots_searchTransactionsBefore', able.otterscan],
    ['eth_getTransactionBySenderAndNonce', able.senderAndNonce],
    ['archive', able.archive],
  ] as const;
  return {
    kinds: ['tokens_out', 'tokens_in', 'emitted', ...sent, ...calls],
    has: has.flatMap(([name, isThere]) => (isThere ? [name] : [])),
    spanMax: limit.max,
  };
};

const NOBODY = `0x${'0'.repeat(39)}1`;

const probe = async (
  ask: Ask,
  headOf: (signal: AbortSignal) => Promise<{ readonly place: number }>,
  signal: AbortSignal,
): Promise<Abilities> => {
  const { place } = await headOf(signal);
  const at = hex(place);
  const filter = { fromBlock: at, toBlock: at, fromAddress: [NOBODY], after: 0, count: 1 };
  const answers = await ask(
    [
      { method: 'trace_filter', params: [filter] },
      { method: 'ots_searchTransactionsBefore', params: [NOBODY, 1, 1] },
      { method: 'eth_getTransactionCount', params: [NOBODY, hex(Math.min(place, 1))] },
    ],
    signal,
  );
  const [traces, otterscan, archive] = answers.map((answer) => failureOf(answer) === null);
  return {
    traces: traces === true,
    otterscan: otterscan === true && traces !== true,
    archive: archive === true,
    senderAndNonce: archive === true && (await hasSenderAndNonce(ask, signal)),
  };
};

type Listed = Pick<HistoryPage, 'listed' | 'covers' | 'lacks'>;
const COIN_LISTED: readonly HistoryKind[] = ['sent', 'received', 'internal'];

const listWithin = async (
  ask: Ask,
  able: Abilities,
  question: ListQuestion,
  signal: AbortSignal,
): Promise<Listed> => {
  const { address, kinds } = question;
  const wants = (...some: HistoryKind[]): boolean => some.some((kind) => kinds.includes(kind));
  const span = { first: question.first, last: question.last };
  const listed: ListedTransaction[] = [];
  const covers: HistoryKind[] = [];
  const lacks: Partial<Record<HistoryKind, string>> = {};
  /** One block can hold more than a node tells: that must not hide what is older. */
  const take = async (all: readonly HistoryKind[], listing: () => Promise<ListedTransaction[]>) => {
    const own = all.filter((kind) => kinds.includes(kind));
    if (own.length === 0) return;
    const found = await unlessTooMuch(listing(), span);
    // Not as arguments of one call: a page can hold more than a call takes.
    for (const each of found ?? []) listed.push(each);
    if (found !== null) covers.push(...own);
    else for (const kind of own) lacks[kind] = 'block_too_large';
  };
  const logs = async (sides: readonly Topics[], emitter?: string) =>
    (await fetchLogs(ask, sides, span, signal, emitter)).map(({ hash, block }) => ({ id: hash, block }));
  const token = question.asset === null || question.asset === NATIVE ? undefined : question.asset;
  const topic = `0x${address.slice(2).padStart(64, '0')}`;
  const sides: Topics[] = [];
  if (wants('tokens_out')) sides.push([NAMED_FIRST, topic]);
  if (wants('tokens_in')) sides.push([TRANSFER_TOPIC, null, topic]);
  if (sides.length > 0) await take(['tokens_out', 'tokens_in'], () => logs(sides, token));
  if (wants('emitted')) await take(['emitted'], () => logs([[]], address));
  if (!wants(...COIN_LISTED)) return { listed, covers, lacks };
  if (able.traces) await take(COIN_LISTED, () => listTraces(ask, address, span, signal));
  else if (able.otterscan) await take(COIN_LISTED, () => listOtterscan(ask, address, span, signal));
  else if (able.archive)
    await take(['sent'], () =>
      findSends(ask, { address, bySenderAndNonce: able.senderAndNonce, ...span }, signal),
    );
  return { listed, covers, lacks };
};

/** null if one block holds too much: anybody can fill one, and it must not hide older ones. */
const unlessTooMuch = async <T>(listing: Promise<T>, { first, last }: Window): Promise<T | null> => {
  try {
    return await listing;
  } catch (error) {
    const isTooMuch =
      error instanceof SourceError && (error.code === 'answer_too_large' || isTooLarge(error.message));
    if (!isTooMuch || first < last) throw error;
    return null;
  }
};
