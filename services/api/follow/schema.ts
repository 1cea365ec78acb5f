import { z } from 'zod';
import type { FlowRequest } from '../../investigate/follow/graph/flow-graph.ts';
import { HOPS_DEFAULT, HOPS_MAX } from '../../investigate/follow/rules.ts';
import type { FollowRequest } from '../../investigate/follow/trail.ts';
import { parseAddress } from '../../investigate/model/address.ts';
import { findBySymbol, toCanonicalAsset } from '../../investigate/model/asset.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { Clock } from '../../platform/clock.ts';
import { budgetMsOf, continuationField, type Timed } from '../asking/reading-fields.ts';
import {
  addressField,
  bodyError,
  chainField,
  defaultChain,
  IN_THE_FUTURE,
  isInTheFuture,
  stringField,
  timeField,
  wholeNumber,
} from '../body-fields.ts';
import { amountField, type GraphBody, graphFields, refuseMixed, toFlowRequest } from './graph-request.ts';

const RAW_ERROR = 'must be a whole number of raw units, as text of 1 to 100 digits';

const TIMES = ['since', 'until'] as const;

/** What a call asks for: the main stream or the whole flow. */
export type FollowCall =
  | { readonly type: 'trail'; readonly request: Timed<FollowRequest> }
  | { readonly type: 'graph'; readonly request: FlowRequest };

/** The body of POST /follow, as far as it can be checked without reading any data. */
export const createFollowSchema = (chains: readonly string[], clock: Clock): z.ZodType<FollowCall> =>
  z
    .strictObject(
      {
        address: addressField('The first wallet; with `backward` the one that received the money.'),
        chain: chainField(chains),
        asset: stringField(
          '`native` for the coin of the chain, a known symbol, or a mint or contract. Default: the coin or stablecoin worth most, else the first that moved.',
        ).optional(),
        since: timeField('Follow only what left from then on.'),
        until: timeField('Only with `backward`: follow only what arrived until then.'),
        amount: amountField('How much to follow, in whole units. Default: all.'),
        traced_raw: z
          .string({ error: RAW_ERROR })
          .regex(/^\d{1,100}$/, { error: RAW_ERROR })
          .optional()
          .meta({
            description: 'The traced part of `amount`, in raw units, as `end.next` gives it. Default: all.',
          }),
        counterparty: addressField(
          'Follow only what this party paid to `address`; with `backward` what `address` paid to it.',
        ).optional(),
        backward: z
          .boolean({ error: 'must be true or false' })
          .optional()
          .meta({ description: 'true: follow where the money came from.' }),
        max_hops: wholeNumber(1, HOPS_MAX, `a whole number from 1 to ${HOPS_MAX}`)
          .optional()
          .meta({
            description: `Most hops. Default: ${HOPS_DEFAULT}, with \`graph\` ${HOPS_MAX}.`,
          }),
        ...graphFields,
        continuation: continuationField,
      },
      { error: bodyError },
    )
    .superRefine((body, context) => {
      const { backward, since, until, amount, traced_raw: tracedRaw } = body;
      const refuse = (path: readonly (string | number)[], message: string): void =>
        context.addIssue({ code: 'custom', path: [...path], message });
      refuseMixed(body, refuse);
      if (backward && since !== undefined) refuse(['since'], 'does not go with backward: say until');
      if (!backward && until !== undefined) refuse(['until'], 'goes only with backward: say since');
      if (tracedRaw !== undefined && amount === undefined)
        refuse(['traced_raw'], 'goes only with amount: it is a part of it');
    })
    .transform((body, context): FollowCall => {
      const refuse = (path: string, message: string): never => {
        context.addIssue({ code: 'custom', path: [path], message });
        return z.NEVER;
      };
      const chain = findChain(body.chain ?? defaultChain(body.address));
      if (chain === null) return refuse('chain', 'is not served here');
      const start = parseAddress(chain, body.address);
      const canonicalAsset = ifGiven(body.asset, (asset) => parseCanonicalAsset(chain, asset));
      const counterparty = ifGiven(body.counterparty, (address) => parseAddress(chain, address));
      if (!start.ok) return refuse('address', start.message);
      const future = TIMES.find((time) => isInTheFuture(body[time] ?? 0, clock));
      if (future !== undefined) return refuse(future, IN_THE_FUTURE);
      if (canonicalAsset?.ok === false) return refuse('asset', canonicalAsset.message);
      if (counterparty?.ok === false) return refuse('counterparty', counterparty.message);
      if (counterparty?.address === start.address) return refuse('counterparty', 'is the address itself');
      const request: FollowRequest = {
        chain,
        start: start.address,
        canonicalAsset: canonicalAsset?.canonicalAsset ?? null,
        atUnixSeconds: body.since ?? body.until ?? null,
        amount: body.amount ?? null,
        tracedRaw: ifGiven(body.traced_raw, BigInt),
        counterparty: counterparty?.address ?? null,
        backward: body.backward ?? false,
        maxHops: body.max_hops ?? HOPS_DEFAULT,
      };
      return toCall(body, request, { clock, context });
    });

type Checking = { readonly clock: Clock; readonly context: z.core.$RefinementCtx };

const toCall = (body: GraphBody, request: FollowRequest, { clock, context }: Checking): FollowCall => {
  if (!body.graph) return { type: 'trail', request: { ...request, budgetMs: budgetMsOf(body.budget) } };
  const refuse = (path: readonly (string | number)[], message: string): void =>
    context.addIssue({ code: 'custom', path: [...path], message });
  const maxHops = body.max_hops ?? HOPS_MAX;
  return { type: 'graph', request: toFlowRequest(body, { first: { ...request, maxHops }, clock, refuse }) };
};

const ifGiven = <T>(text: string | undefined, parse: (text: string) => T): T | null =>
  text === undefined ? null : parse(text);

const parseCanonicalAsset = (chain: Chain, asset: string) => {
  const listed = asset === NATIVE ? NATIVE : findBySymbol(chain, asset);
  if (listed !== null) return { ok: true as const, canonicalAsset: listed };
  const result = parseAddress(chain, asset);
  return result.ok
    ? { ok: true as const, canonicalAsset: toCanonicalAsset(chain, result.address) }
    : {
        ok: false as const,
        message: `is neither "${NATIVE}", nor a symbol that is known on ${chain.name}, nor a token: it ${result.message}`,
      };
};
