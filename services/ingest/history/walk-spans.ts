import type { Window } from '../../investigate/model/history.ts';
import { SourceError } from '../nodes/source-error.ts';

/**
 * Blocks in one question. Nodes limit them or take minutes, so the first are few, then four times as many, and half
 * of what was refused; below `min` only for blocks with too many logs, or where the node says how few it takes.
 */
const SPAN = { first: 2_000, min: 500, growth: 4 };

/** What a node said of the blocks that it takes in one question; learned once for all wallets. */
export type SpanLimit = {
  max: number | null;
  /** Whether fewer blocks may be answered. Default: they may after most failures. */
  readonly narrowsFor?: (error: SourceError) => boolean;
};

/**
 * Walks a window in the wanted order, span by span, as wide as the node answers. Throws what `list` throws of a span
 * that cannot be made smaller.
 */
export async function* walkSpans<T extends object>(
  { first, last, order }: Window & { readonly order: 'oldest' | 'newest' },
  limit: SpanLimit,
  list: (span: Window) => Promise<T>,
): AsyncGenerator<{ readonly span: Window; readonly found: T }> {
  const width = new Width(limit);
  for (let next = order === 'oldest' ? first : last; first <= next && next <= last; ) {
    const span =
      order === 'oldest'
        ? { first: next, last: Math.min(last, next + width.blocks - 1) }
        : { first: Math.max(first, next - width.blocks + 1), last: next };
    const found = await list(span).catch((error: unknown) => {
      if (!width.narrow(span.last - span.first + 1, error)) throw error;
      return null;
    });
    if (found === null) continue;
    yield { span, found };
    next = order === 'oldest' ? span.last + 1 : span.first - 1;
    width.grow();
  }
}

/** A question that is made smaller. */
export const tooMany = (method: string, what: string): SourceError =>
  new SourceError('answer_too_large', `${method}: the blocks hold too many ${what}`, { transient: false });

class Width {
  blocks: number;
  readonly #limit: SpanLimit;
  #most = Number.POSITIVE_INFINITY;

  constructor(limit: SpanLimit) {
    this.#limit = limit;
    this.blocks = Math.min(SPAN.first, limit.max ?? SPAN.first);
  }

  grow(): void {
    this.blocks = Math.min(this.blocks * SPAN.growth, this.#most, this.#limit.max ?? this.#most);
  }

  /** false if so many blocks cannot become fewer for this error. */
  narrow(asked: number, error: unknown): boolean {
    if (!(error instanceof SourceError) || asked <= leastSpan(error)) return false;
    if (this.#limit.narrowsFor?.(error) === false) return false;
    if (isSpanRefused(error))
      this.#limit.max = Math.max(1, statedSpan(error, asked) ?? Math.floor(asked / 2));
    // A refusal of few blocks concerns their content, not their number.
    else if (asked > SPAN.min) this.#most = Math.max(SPAN.min, Math.floor(asked / 2));
    this.blocks = Math.min(this.#most, this.#limit.max ?? this.#most, Math.ceil(asked / 2));
    return true;
  }
}

/** Anybody can fill blocks with a wallet's name; a smaller question rarely helps a failing node. */
const leastSpan = ({ transient, code }: SourceError): number =>
  transient && code !== 'inconsistent' ? SPAN.min : 1;

const SPAN_REFUSED = /block range|range of blocks|range (is )?(too|exceed)|\d+[- ]?blocks?\b/i;
const isSpanRefused = ({ message, code }: SourceError): boolean =>
  code === 'rpc_error' && SPAN_REFUSED.test(message) && !/results/i.test(message);

/** "up to a 10 block range", "limited to 0 - 10000 blocks range", "max block range 600". */
const statedSpan = ({ message }: SourceError, asked: number): number | null => {
  const numbers = [
    ...message.matchAll(/(?<![\w-])(\d[\d,]*)(?=\s*-?\s*blocks?\b)|range[^\d(]{0,12}(\d[\d,]*)/gi),
  ]
    .map((match) => Number((match[1] ?? match[2] ?? '').replaceAll(',', '')))
    .filter((number) => number >= 1 && number < asked);
  return numbers.length === 0 ? null : Math.min(...numbers);
};
