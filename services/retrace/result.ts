/** Why an anchor cannot be traced, as POST /trace says it. */
type Refused = { readonly code: string; readonly field: string; readonly message: string };

/** What an answer rests on beside transfers, by address and by `<asset> <time>`; a server does not tell it. */
export type KeptBasis = {
  readonly labels: Readonly<Record<string, { readonly kind: string; readonly name: string }>>;
  readonly prices: Readonly<Record<string, number | null>>;
};

/** What of an answer of POST /trace is compared with an earlier one. */
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
