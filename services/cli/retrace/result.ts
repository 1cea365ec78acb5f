import type { Trace } from '../../sdk/create-spoor.ts';
import type { Anchor } from './anchor.ts';

/** The answer of POST /trace, without the list of wallets that were searched: it would be most of the file. */
export type RetraceAnswer = Omit<Trace, 'window'> & { readonly window: Omit<Trace['window'], 'searched'> };

/** Why an anchor cannot be traced, as POST /trace says it. */
export type Refused = { readonly code: string; readonly field: string; readonly message: string };

/** What an answer rests on beside transfers, by address and by `<asset> <time>`; a server does not tell it. */
export type KeptBasis = {
  readonly labels: Readonly<Record<string, { readonly kind: string; readonly name: string }>>;
  readonly prices: Readonly<Record<string, number | null>>;
};

export type Result =
  | { readonly answer: RetraceAnswer; readonly basis?: KeptBasis }
  | { readonly refused: Refused };

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
