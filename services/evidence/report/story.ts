import { z } from 'zod';

/** What a report tells of one answer, whatever question it answers. Amounts are raw units of the asset. */
export type Story = {
  readonly chain: string;
  readonly asset: { readonly symbol: string | null; readonly decimals: number | null };
  readonly starts: readonly string[];
  /** Oldest first; the number of a step is its place here, from 1. */
  readonly steps: readonly Step[];
  readonly places: readonly Place[];
  readonly taken: bigint | null;
  readonly outcomes: readonly {
    readonly outcome: string;
    readonly raw: bigint;
    readonly usd: number | null;
  }[];
  readonly scope: string;
  readonly limits: string | null;
  readonly indexHead: number | null;
};

/** One transaction that carried the money. */
export type Step = {
  readonly signature: string;
  readonly time: number;
  readonly from: string;
  readonly to: string;
  readonly through: readonly string[];
  readonly raw: bigint;
  /** That it is the followed money; null where the question does not tell. */
  readonly probability: number | null;
};

export type Place = {
  readonly outcome: string;
  readonly address: string;
  readonly label: LabelTold | null;
  readonly raw: bigint;
  readonly probability: number | null;
  readonly frozen: { readonly signature: string; readonly time: number; readonly block: number } | null;
  readonly canFreeze: boolean | null;
  readonly issuer: string | null;
  readonly crossings: readonly Crossing[];
};

export type LabelTold = { readonly name: string; readonly kind: string };
type Crossing = {
  readonly chain: string;
  readonly address: string;
  readonly signature: string;
  readonly by: string;
  readonly confidence: number;
};

const raw = z.string().regex(/^\d+$/).transform(BigInt);
const label = z.object({ name: z.string(), kind: z.string() }).nullable().default(null);
const frozen = z
  .object({ signature: z.string(), time: z.number(), block: z.number() })
  .nullable()
  .default(null);
const transactions = z.array(z.object({ signature: z.string(), time: z.number(), amount_raw: raw }));
const through = z.array(z.object({ address: z.string() })).default([]);
const crossing = z.object({
  ...{
    chain: z.string(),
    address: z.string(),
    signature: z.string(),
    by: z.string(),
    confidence: z.number(),
  },
});
const asset = z.object({ symbol: z.string().nullable(), decimals: z.number().nullable() });
const meta = z.object({
  scope: z.string().default('unknown'),
  detail: z.string().nullable().default(null),
  index_head: z.number().nullable().default(null),
});
const fate = {
  frozen,
  can_freeze: z.boolean().nullable().default(null),
  issuer: z.string().nullable().default(null),
};
const sum = z.object({ outcome: z.string(), amount_raw: raw, usd: z.number().nullable().default(null) });

const FLOW = z.object({
  ...{ chain: z.string(), starts: z.array(z.string()), asset, meta },
  edges: z.array(
    z.object({ from: z.string(), to: z.string(), through, probability: z.number(), transactions }),
  ),
  ends: z.array(
    z.object({
      ...{ reason: z.string(), outcome: z.string().optional(), address: z.string(), label, amount_raw: raw },
      ...{ probability: z.number(), crossings: z.array(crossing).default([]) },
      ...fate,
    }),
  ),
  rests: z.array(z.object({ address: z.string(), label, amount_raw: raw, probability: z.number(), ...fate })),
  coverage: z.object({ taken: z.object({ amount_raw: raw }), outcomes: z.array(sum).default([]) }),
});

const TRAIL = z.object({
  ...{ chain: z.string(), start: z.string(), asset, meta },
  hops: z.array(z.object({ from: z.string(), to: z.string(), to_label: label, through, transactions })),
  end: z.object({
    ...{ reason: z.string(), outcome: z.string().optional(), address: z.string() },
    outcomes: z.array(sum).default([]),
    output: z.unknown(),
    ...fate,
  }),
});

type Flow = z.infer<typeof FLOW>;
type Trail = z.infer<typeof TRAIL>;

/** One for each flow and trail in an answer, in its order. Answers to other questions have none. */
export const readStories = (answer: unknown): readonly Story[] => {
  const all = z.object({ answers: z.array(z.unknown()) }).safeParse(answer).data?.answers ?? [answer];
  return all.flatMap((one) => {
    const flow = FLOW.safeParse(one).data;
    const trail = TRAIL.safeParse(one).data;
    if (flow !== undefined) return [ofFlow(flow)];
    return trail === undefined ? [] : [ofTrail(trail)];
  });
};

const metaOf = ({ chain, asset: told, meta: { scope, detail, index_head } }: Flow | Trail) => ({
  ...{ chain, asset: told, scope, limits: detail, indexHead: index_head },
});

type Paying = Pick<Flow['edges'][number], 'from' | 'to' | 'through' | 'transactions'>;

const stepsOf = ({ from, to, through: by, transactions: of }: Paying, probability: number | null): Step[] =>
  of.map(({ signature, time, amount_raw }) => ({
    ...{ signature, time, from, to, through: by.map(({ address }) => address), raw: amount_raw, probability },
  }));

const inOrder = (a: Step, b: Step): number => a.time - b.time || (a.signature < b.signature ? -1 : 1);

const ofFlow = (flow: Flow): Story => {
  const { starts, edges, ends, rests, coverage } = flow;
  const places = [
    ...ends
      .filter(({ reason }) => reason !== 'at_rest')
      .map((end) => ({ ...end, outcome: end.outcome ?? end.reason })),
    ...rests.map((rest) => ({ ...rest, outcome: rest.frozen ? 'frozen' : 'at_rest', crossings: [] })),
  ];
  return {
    ...metaOf(flow),
    starts,
    steps: edges.flatMap((edge) => stepsOf(edge, edge.probability)).sort(inOrder),
    places: places.map(({ amount_raw, can_freeze, ...place }) => ({
      ...{ ...place, raw: amount_raw, canFreeze: can_freeze },
    })),
    taken: coverage.taken.amount_raw,
    outcomes: coverage.outcomes.map(({ outcome, amount_raw, usd }) => ({ outcome, raw: amount_raw, usd })),
  };
};

const ofTrail = (trail: Trail): Story => {
  const { start, hops, end } = trail;
  const outcomes = end.outcomes.map(({ outcome, amount_raw, usd }) => ({ outcome, raw: amount_raw, usd }));
  const whole = outcomes.reduce((total, { raw: of }) => total + of, 0n);
  const far = crossing.safeParse(end.output).data;
  const last = hops.at(-1);
  return {
    ...metaOf(trail),
    starts: [start],
    steps: hops.flatMap((hop) => stepsOf(hop, null)).sort(inOrder),
    places: [
      {
        ...{ outcome: end.outcome ?? end.reason, address: end.address, raw: whole, probability: null },
        label: last?.to === end.address ? last.to_label : null,
        ...{ frozen: end.frozen, canFreeze: end.can_freeze, issuer: end.issuer },
        crossings: far === undefined ? [] : [far],
      },
    ],
    taken: outcomes.length === 0 ? null : whole,
    outcomes,
  };
};
