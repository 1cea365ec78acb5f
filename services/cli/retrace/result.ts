import type { ResultOf } from '../../retrace/result.ts';
import type { Trace } from '../../sdk/create-spoor.ts';
import type { Anchor } from './anchor.ts';

/** The answer of POST /trace, without the list of wallets that were searched: it would be most of the file. */
export type RetraceAnswer = Omit<Trace, 'window'> & { readonly window: Omit<Trace['window'], 'searched'> };

export type Result = ResultOf<RetraceAnswer>;

/** What is kept of one anchor. */
export type KeptResult = Pick<Anchor, 'at' | 'place' | 'body'> & Result;

export const withoutSearched = ({ window: { searched: _, ...window }, ...answer }: Trace): RetraceAnswer => ({
  ...answer,
  window,
});

/** Traces some anchors; their results in their order. */
export type Tracer = {
  trace(anchors: readonly Anchor[], signal: AbortSignal): Promise<readonly Result[]>;
  /** How many anchors are traced at once next. */
  waveSize(): number;
  close(): Promise<void>;
};
