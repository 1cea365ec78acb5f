import type { ComparedAnswer, KeptBasis, Result } from './result.ts';

type Candidate = ComparedAnswer['candidates'][number];
type Named = { readonly kind: string; readonly name: string } | null;
type Placed = { readonly address: string; readonly rank: number; readonly confidence: number };

/** An input of an answer (label, price or transfer) that changed. */
type Cause =
  | { readonly kind: 'model'; readonly before: string; readonly after: string }
  | { readonly kind: 'label'; readonly address: string; readonly before: Named; readonly after: Named }
  | {
      readonly kind: 'price';
      readonly of: string;
      readonly before: number | null;
      readonly after: number | null;
    }
  /** The transfer is new, or no longer there. */
  | { readonly kind: 'transfer'; readonly signature: string; readonly time: number }
  | { readonly kind: 'blocks'; readonly before: Heights; readonly after: Heights };

type Heights = Pick<ComparedAnswer['meta'], 'data_from' | 'index_head'>;

export type Change = {
  /** Candidates that are shown now and were not before, with the reason. */
  readonly new: readonly (Placed & { readonly causes: readonly Cause[] })[];
  readonly lost: readonly (Placed & { readonly causes: readonly Cause[] })[];
  /** Candidates that were shown before, with another rank or confidence now. */
  readonly moved: readonly { readonly address: string; readonly before: Placed; readonly after: Placed }[];
  /** When one of the two answers is a refusal: its code, and `traced` for the other. */
  readonly answer: { readonly before: string; readonly after: string } | null;
  /** All inputs that differ between the two answers. */
  readonly causes: readonly Cause[];
};

const NONE: KeptBasis = { labels: {}, prices: {} };

/** The changes between two answers for one anchor; null when nothing visible changed. */
export const compareResults = (before: Result, after: Result): Change | null => {
  if ('refused' in before || 'refused' in after) {
    const [was, is] = [codeOf(before), codeOf(after)];
    if (was === is) return null;
    return { new: [], lost: [], moved: [], answer: { before: was, after: is }, causes: [] };
  }
  const places = { before: placesOf(before.answer), after: placesOf(after.answer) };
  const causes = findCauses(before, after);
  const labels = new Map(
    causes.flatMap((cause) => (cause.kind === 'label' ? [[cause.address, cause] as const] : [])),
  );
  const others = causes.filter(({ kind }) => kind === 'price' || kind === 'model');
  /**
   * A wallet appears or disappears because of its own label, else because of another changed input, else
   * because its transfer did.
   */
  const causesOf = ({ address, signature, time }: Candidate): readonly Cause[] => {
    const label = labels.get(address);
    if (label !== undefined) return [label];
    return others.length > 0 ? others : [{ kind: 'transfer', signature, time }];
  };
  const onlyIn = (own: typeof places.before, other: typeof places.before) =>
    [...own.values()]
      .filter(({ placed }) => !other.has(placed.address))
      .map(({ placed, candidate }) => ({ ...placed, causes: causesOf(candidate) }));
  const moved = [...places.before.values()].flatMap(({ placed: was }) => {
    const is = places.after.get(was.address)?.placed;
    if (is === undefined || (is.rank === was.rank && is.confidence === was.confidence)) return [];
    return [{ address: was.address, before: was, after: is }];
  });
  const change = {
    new: onlyIn(places.after, places.before),
    lost: onlyIn(places.before, places.after),
    moved,
  };
  if (change.new.length + change.lost.length + moved.length === 0) return null;
  return { ...change, answer: null, causes };
};

const codeOf = (result: Result): string => ('refused' in result ? result.refused.code : 'traced');

const placesOf = ({ candidates }: ComparedAnswer) =>
  new Map(
    candidates.map((candidate, at) => {
      const { address, confidence } = candidate;
      return [address, { candidate, placed: { address, rank: at + 1, confidence } }] as const;
    }),
  );

type Answered = Extract<Result, { answer: ComparedAnswer }>;

const findCauses = (before: Answered, after: Answered): Cause[] => {
  const [was, is] = [before.answer.meta, after.answer.meta];
  const causes: Cause[] = [];
  if (was.calibration !== is.calibration)
    causes.push({ kind: 'model', before: was.calibration, after: is.calibration });
  causes.push(...findLabels(before, after), ...findPrices(before.basis ?? NONE, after.basis ?? NONE));
  if (was.index_head !== is.index_head || was.data_from !== is.data_from)
    causes.push({ kind: 'blocks', before: heightsOf(was), after: heightsOf(is) });
  return causes;
};

const heightsOf = ({ data_from, index_head }: ComparedAnswer['meta']): Heights => ({ data_from, index_head });

/**
 * A label that only one answer has counts if the other answer considered the wallet, too: as a candidate, or
 * with another label.
 */
const findLabels = (before: Answered, after: Answered): Cause[] => {
  const [was, is] = [before.basis ?? NONE, after.basis ?? NONE].map(({ labels }) => labels);
  const candidates = (answer: ComparedAnswer) => new Set(answer.candidates.map(({ address }) => address));
  const [shownBefore, shownAfter] = [candidates(before.answer), candidates(after.answer)];
  return [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].flatMap((address): Cause[] => {
    const [old = null, now = null] = [was?.[address], is?.[address]];
    if (old?.kind === now?.kind && old?.name === now?.name) return [];
    const wasAsked = old !== null || shownBefore.has(address);
    const isAsked = now !== null || shownAfter.has(address);
    return wasAsked && isAsked ? [{ kind: 'label', address, before: old, after: now }] : [];
  });
};

const findPrices = (before: KeptBasis, after: KeptBasis): Cause[] =>
  Object.entries(after.prices).flatMap(([of, now]): Cause[] => {
    const old = before.prices[of];
    return old === undefined || old === now ? [] : [{ kind: 'price', of, before: old, after: now }];
  });
