import type { HistoryKind, Window } from '../../../investigate/model/history.ts';
import { malformed } from '../../nodes/decode-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type {
  HistoryPage,
  HistorySource,
  ListedTransaction,
  ListQuestion,
  Offers,
} from '../history-source.ts';
import { type SpanLimit, tooMany, walkSpans } from '../walk-spans.ts';
import { createPortal, notHeld, type Portal, type PortalOptions } from './ask-portal.ts';
import { EVM_PORTAL, type PortalFamily, SOLANA_PORTAL } from './portal-query.ts';

/** Of one span; a busier one is asked for in parts, of which the first may suffice. */
const ROWS_MAX = 10_000;
/** Blocks of a probe: one chunk of the dataset. */
const PROBED_BLOCKS = 1;
const NOBODY = { evm: `0x${'0'.repeat(39)}1`, solana: '11111111111111111111111111111112' };

/** The portal of SQD: all kinds of both families without a key, by windows and not by an index of addresses. */
export const createSqdPortalSource = ({
  family: name,
  ...options
}: PortalOptions & { readonly family: 'evm' | 'solana' }): HistorySource => {
  const portal = createPortal(options);
  const family = name === 'evm' ? EVM_PORTAL : SOLANA_PORTAL;
  const limit: SpanLimit = { max: null, narrowsFor: ({ code }) => code === 'answer_too_large' };
  let probing: Promise<Offers> | null = null;
  return {
    name: 'sqd-portal',
    probe: (signal) => {
      probing ??= probe(portal, family, NOBODY[name], signal).catch((error: unknown) => {
        probing = null;
        throw error;
      });
      return probing;
    },
    list: async function* (question, signal) {
      const { kinds, order, first, last } = question;
      const held = Math.min(last, (await portal.head(signal)) ?? -1);
      const isHeld = held >= last;
      // Where the newest come first, what it does not hold yet must not keep it from telling the rest.
      if (!isHeld && order === 'newest') yield unheld({ first: Math.max(first, held + 1), last }, kinds);
      const listSpan = (span: Window) => listBlocks(portal, family, { ...question, ...span }, signal);
      for await (const { span, found } of walkSpans({ ...question, last: held }, limit, listSpan))
        yield { ...span, listed: found, covers: kinds };
      if (!isHeld && order === 'oldest') throw notHeld();
    },
  };
};

const unheld = (window: Window, kinds: readonly HistoryKind[]): HistoryPage => ({
  ...window,
  ...{ listed: [], covers: [] },
  lacks: Object.fromEntries(kinds.map((kind) => [kind, 'not_held_yet'])),
});

/** A kind whose question is refused is not offered. */
const probe = async (
  portal: Portal,
  { kinds, optional, query }: PortalFamily,
  address: string,
  signal: AbortSignal,
): Promise<Offers> => {
  const head = await portal.head(signal);
  if (head === null)
    throw new SourceError('block_unavailable', 'the portal holds no block', { transient: false });
  const window = { fromBlock: Math.max(0, head - PROBED_BLOCKS + 1), toBlock: head };
  const isAnswered = async (asked: readonly HistoryKind[]): Promise<boolean> => {
    try {
      for await (const _ of portal.blocks(query({ address, kinds: asked, asset: null }), window, signal));
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceError && error.code === 'http_status' && !error.transient) return false;
      throw error;
    }
  };
  const always = kinds.filter((kind) => !optional.includes(kind));
  if (!(await isAnswered(always)))
    throw new SourceError('rpc_error', 'the portal refuses its questions', { transient: false });
  const offered = optional.length > 0 && (await isAnswered(optional)) ? kinds : always;
  return { kinds: offered, has: ['finalized-stream'], spanMax: null };
};

const listBlocks = async (
  portal: Portal,
  { query, idOf }: PortalFamily,
  question: ListQuestion,
  signal: AbortSignal,
): Promise<ListedTransaction[]> => {
  const { first, last } = question;
  const listed: ListedTransaction[] = [];
  const window = { fromBlock: first, toBlock: last };
  for await (const { number, transactions } of portal.blocks(query(question), window, signal)) {
    for (const transaction of transactions) {
      const id = idOf(transaction);
      if (typeof id !== 'string' || id === '') throw malformed('a transaction of the portal has no hash');
      listed.push({ id, block: number });
    }
    if (listed.length > ROWS_MAX && first < last) throw tooMany('finalized-stream', 'transactions');
  }
  return listed;
};
