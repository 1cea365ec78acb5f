import type { Window } from '../../../investigate/model/history.ts';
import { malformed } from '../../nodes/decode-answer.ts';
import { SourceError } from '../../nodes/source-error.ts';
import type { ListedTransaction } from '../history-source.ts';
import type { Anchor } from './anchors.ts';
import type { AskJson } from './ask-node.ts';

/** The maximum of entries in one answer. */
export const PAGE = 1_000;
const FINALIZED = { commitment: 'finalized' } as const;

/** Signatures that name an account, newest first, down to a slot. */
export type SignaturePage = {
  readonly listed: readonly ListedTransaction[];
  /** The slot down to which everything is listed: below it there may be more. */
  readonly reached: number;
  /** Where the list goes on; null if it was empty. */
  readonly next: Anchor | null;
};

/**
 * Lists downward from below an anchor (the newest if undefined) until a slot below `first` or `max` entries were seen. Throws
 * `SourceError`, also if the pages are out of order, because some archives join their parts in any order.
 */
export const listSignatures = async (
  ask: AskJson,
  account: string,
  { first, max, from }: { readonly first: number; readonly max: number; readonly from?: Anchor | undefined },
  signal: AbortSignal,
): Promise<SignaturePage> => {
  const listed: ListedTransaction[] = [];
  let next = from ?? null;
  let seen = 0;
  let lowest = from?.slot ?? Number.POSITIVE_INFINITY;
  for (;;) {
    const options = { ...FINALIZED, limit: PAGE, ...(next === null ? {} : { before: next.signature }) };
    const page = readSignatures(await ask('getSignaturesForAddress', [account, options], signal));
    for (const each of page) {
      if (each.block > lowest)
        throw new SourceError('inconsistent', 'the signatures of an account are not in order', {
          transient: false,
        });
      lowest = each.block;
      if (each.block >= first) listed.push(each);
    }
    seen += page.length;
    const last = page.at(-1);
    if (last) next = { slot: last.block, signature: last.id };
    if (page.length < PAGE || lowest < first) return { listed, reached: first, next };
    // The last slot may go on in the next page.
    if (seen >= max) return { listed, reached: Math.max(first, lowest + 1), next };
  }
};

/** Throws a `SourceError` if the answer has another form. */
const readSignatures = (answer: unknown): ListedTransaction[] => {
  if (!Array.isArray(answer)) throw malformed('getSignaturesForAddress gave no list');
  return answer.map((entry) => readListed(entry, 'getSignaturesForAddress'));
};

/** Throws a `SourceError` if the entry has another form. */
export const readListed = (entry: unknown, method: string): ListedTransaction => {
  const { signature, slot, transactionIndex } = (entry ?? {}) as Record<string, unknown>;
  if (typeof signature !== 'string' || typeof slot !== 'number')
    throw malformed(`${method} gave an entry without signature or slot`);
  const listed = { id: signature, block: slot };
  const isIndex = Number.isSafeInteger(transactionIndex) && Number(transactionIndex) >= 0;
  return isIndex ? { ...listed, index: Number(transactionIndex) } : listed;
};

export const within = ({ first, last }: Window, listed: readonly ListedTransaction[]): ListedTransaction[] =>
  listed.filter(({ block }) => first <= block && block <= last);
