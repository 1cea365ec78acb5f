/** Why an anchor cannot be traced, in the form of POST /trace. */
type Refused = { readonly code: string; readonly field: string; readonly message: string };

/**
 * The labels and prices that an answer rests on, by address and by `<asset> <time>`; a remote server does not
 * report them.
 */
export type KeptBasis = {
  readonly labels: Readonly<Record<string, { readonly kind: string; readonly name: string }>>;
  readonly prices: Readonly<Record<string, number | null>>;
};

/** The parts of a POST /trace answer that are compared with an earlier one. */
export type ComparedAnswer = {
  readonly candidates: readonly {
    readonly address: string;
    readonly confidence: number;
    readonly signature: string;
    readonly time: number;
  }[];
  readonly meta: {
    readonly scope: string;
    readonly calibration: string;
    readonly data_from: number | null;
    readonly index_head: number | null;
  };
};

export type ResultOf<Answer> =
  | { readonly answer: Answer; readonly basis?: KeptBasis }
  | { readonly refused: Refused };
export type Result = ResultOf<ComparedAnswer>;
