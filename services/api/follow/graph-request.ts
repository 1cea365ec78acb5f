import { z } from 'zod';
import type { FlowRequest, FlowStart } from '../../investigate/follow/graph/flow-graph.ts';
import {
  FLOW_CALLS_DEFAULT,
  FLOW_CALLS_MAX,
  HOPS_MAX,
  MIN_PROBABILITY_DEFAULT,
  STARTS_MAX,
} from '../../investigate/follow/rules.ts';
import type { FollowRequest } from '../../investigate/follow/trail.ts';
import { parseAddress } from '../../investigate/model/address.ts';
import type { Clock } from '../../platform/clock.ts';
import { SECONDS_MAX, secondsField } from '../asking/reading-fields.ts';
import {
  addressField,
  bodyError,
  IN_THE_FUTURE,
  isInTheFuture,
  needs,
  timeField,
  wholeNumber,
} from '../body-fields.ts';

// Amounts in answers must be valid in requests: from one raw unit of the smallest possible decimals, to the
// largest sum of 256-bit payments that a wallet's read can hold.
const AMOUNT_MIN = 1e-255;
const AMOUNT_MAX = 1e83;
const AMOUNT_ERROR = `must be a number from ${AMOUNT_MIN} to ${AMOUNT_MAX}`;

export const amountField = (what: string) =>
  z
    .number({ error: AMOUNT_ERROR })
    .min(AMOUNT_MIN, { error: AMOUNT_ERROR })
    .max(AMOUNT_MAX, { error: AMOUNT_ERROR })
    .optional()
    .meta({ description: what });

const numberFrom = (min: number, max: number, what: string) => {
  const error = `must be ${what}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

/** Fields of a body that asks for the whole flow. */
export const graphFields = {
  graph: z.boolean({ error: 'must be true or false' }).optional().meta({
    description: 'true: follow every branch. Default: the main stream.',
  }),
  starts: z
    .array(
      z.strictObject(
        {
          address: addressField('A wallet to start from.'),
          since: timeField('Follow only what left from then on.'),
          amount: amountField('How much to follow, in whole units. Default: all.'),
          counterparty: addressField('Follow only what this party paid to it.').optional(),
        },
        { error: bodyError },
      ),
      { error: needs('a list') },
    )
    .max(STARTS_MAX, { error: `must have ${STARTS_MAX} at most` })
    .optional()
    .meta({
      description: 'Only with `graph`: more first wallets; needs `asset`.',
    }),
  budget: z
    .strictObject(
      {
        calls: wholeNumber(1, FLOW_CALLS_MAX, `a whole number from 1 to ${FLOW_CALLS_MAX}`)
          .optional()
          .meta({ description: `Only with \`graph\`: queries. Default: ${FLOW_CALLS_DEFAULT}.` }),
        seconds: secondsField,
      },
      { error: bodyError },
    )
    .optional()
    .meta({
      description: 'When to stop.',
    }),
  min_usd: numberFrom(0, Number.MAX_VALUE, 'a number of 0 or more').optional().meta({
    description: 'Only with `graph`: skip wallets with less expected money. US dollars. Default: 0.',
  }),
  min_probability: numberFrom(0, 1, 'a number from 0 to 1')
    .optional()
    .meta({
      description: `Only with \`graph\`: do not follow less probable payments. From 0 to 1. Default: ${MIN_PROBABILITY_DEFAULT}.`,
    }),
};

export type GraphBody = z.infer<z.ZodObject<typeof graphFields>> & { readonly max_hops?: number | undefined };
type Refuse = (path: readonly (string | number)[], message: string) => void;

const ONLY_WITH_GRAPH = ['starts', 'min_usd', 'min_probability'] as const;

/** Fields that exclude each other. */
export const refuseMixed = (
  body: GraphBody & {
    readonly backward?: boolean | undefined;
    readonly asset?: string | undefined;
    readonly traced_raw?: string | undefined;
  },
  refuse: Refuse,
): void => {
  if (body.graph && body.traced_raw !== undefined) refuse(['traced_raw'], 'does not go with graph');
  if (body.graph && body.backward) refuse(['backward'], 'does not go with graph');
  for (const field of ONLY_WITH_GRAPH)
    if (!body.graph && body[field] !== undefined) refuse([field], 'goes only with graph');
  if (!body.graph && body.budget?.calls !== undefined) refuse(['budget', 'calls'], 'goes only with graph');
  if (body.starts?.length && body.asset === undefined) refuse(['asset'], 'is required with starts');
};

type Asked = { readonly first: FollowRequest; readonly clock: Clock; readonly refuse: Refuse };

/** `first`: the body's first start. */
export const toFlowRequest = (body: GraphBody, { first, clock, refuse }: Asked): FlowRequest => {
  const { chain, canonicalAsset, maxHops } = first;
  const more = (body.starts ?? []).flatMap((told, at): FlowStart[] => {
    const start = parseAddress(chain, told.address);
    const counterparty = told.counterparty === undefined ? null : parseAddress(chain, told.counterparty);
    if (!start.ok) refuse(['starts', at, 'address'], start.message);
    if (counterparty?.ok === false) refuse(['starts', at, 'counterparty'], counterparty.message);
    if (isInTheFuture(told.since ?? 0, clock)) refuse(['starts', at, 'since'], IN_THE_FUTURE);
    if (!start.ok || counterparty?.ok === false) return [];
    return [
      {
        ...{ start: start.address, atUnixSeconds: told.since ?? null, amount: told.amount ?? null },
        counterparty: counterparty?.address ?? null,
      },
    ];
  });
  const { start, atUnixSeconds, amount, counterparty } = first;
  const starts: FlowStart[] = [{ start, atUnixSeconds, amount, counterparty }, ...more];
  const seen = new Set<string>();
  for (const [at, { start: address }] of starts.entries()) {
    if (seen.has(address)) refuse(['starts', at - 1, 'address'], 'stands twice');
    seen.add(address);
  }
  return {
    ...{ chain, canonicalAsset, starts, maxHops: Math.min(maxHops, HOPS_MAX) },
    budget: {
      calls: body.budget?.calls ?? FLOW_CALLS_DEFAULT,
      seconds: body.budget?.seconds ?? SECONDS_MAX,
    },
    ...{ minUsd: body.min_usd ?? 0, minProbability: body.min_probability ?? MIN_PROBABILITY_DEFAULT },
  };
};
