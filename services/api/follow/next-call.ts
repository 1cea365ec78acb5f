import { traceOutput } from '../../investigate/follow/details/trace-amounts.ts';
import type { FlowEdge, FlowEnd, FlowGraph } from '../../investigate/follow/graph/flow-graph.ts';
import { HOPS_DEFAULT } from '../../investigate/follow/rules.ts';
import type { Carried, FollowRequest, ShownHop, Trail, TrailEnd } from '../../investigate/follow/trail.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { largestFirst, sumOf, toWholeUnits } from '../../investigate/model/amount.ts';
import { type CanonicalAsset, isStablecoin } from '../../investigate/model/asset.ts';
import type { Chain } from '../../investigate/model/chain.ts';
import { NATIVE } from '../../investigate/model/movement.ts';

export type NextCall = { readonly path: '/follow' | '/trace'; readonly body: Record<string, unknown> };

type Asked = Pick<FollowRequest, 'maxHops'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
};

/** The call that continues a trail at its end; null if there is none. */
export const nextCall = (trail: Trail, asked: Asked): NextCall | null => {
  const { backward, end } = trail;
  const last = trail.hops.at(-1);
  const go = (onward: Onward): NextCall | null => follow(onward, { backward, maxHops: asked.maxHops });
  switch (end.reason) {
    case 'exchange':
    case 'mixer':
      return last === undefined ? null : trace(trail, { ...last, ...mainOf(last) });
    case 'dex_swap':
      return end.output && go(behindSwap(trail, { ...end, output: end.output }));
    case 'bridge':
      return end.output && asked.chains.includes(end.output.chain.name)
        ? go(behindBridge(trail, { ...end, output: end.output }))
        : null;
    case 'max_hops':
      return last === undefined ? null : go(fromHop(trail, last));
    default:
      return null;
  }
};

/** Calls that the answer names at one end of a graph. */
const CALLS_MAX = 20;

/** The calls that continue a graph at one of its ends, of the most money first. `edges` lead to the end. */
export const nextCalls = (
  { request: { chain }, asset }: FlowGraph,
  { reason, address, output, crossings }: FlowEnd,
  { edges, chains }: Pick<Asked, 'chains'> & { readonly edges: readonly FlowEdge[] },
): readonly NextCall[] => {
  const go = (onward: Onward): readonly NextCall[] => {
    const call = follow(onward, { backward: false, maxHops: HOPS_DEFAULT });
    return call === null ? [] : [call];
  };
  switch (reason) {
    case 'exchange':
    case 'mixer':
      return paymentsOf(edges)
        .slice(0, CALLS_MAX)
        .flatMap((payment) => trace({ chain, asset, backward: false }, payment) ?? []);
    case 'dex_swap': {
      if (output === null) return [];
      const { sinceUnixSeconds: atUnixSeconds, ...got } = output;
      return go({ chain, address, asset: got.asset, atUnixSeconds, money: moneyOf(got) });
    }
    case 'bridge':
      return crossings
        .filter((side) => chains.includes(side.chain.name))
        .flatMap(({ asset: { asset, decimals }, timeUnixSeconds: atUnixSeconds, ...side }) =>
          go({ ...side, asset, atUnixSeconds, money: moneyOf({ ...side, decimals }) }),
        );
    default:
      return [];
  }
};

/** One per wallet and transaction, which may pay in several ways. Each has its part of the money that its edge carried. */
const paymentsOf = (edges: readonly FlowEdge[]) => {
  const payments = edges
    .filter(({ tracedRaw }) => tracedRaw > 0n)
    .flatMap(({ from, to, transactions, ...edge }) =>
      transactions.map((of) => ({ ...of, ...edge, from, to })),
    );
  return [...Map.groupBy(payments, ({ from, signature }) => `${from} ${signature}`).values()]
    .map((of) => ({
      payment: { ...(of[0] as (typeof payments)[number]), amountRaw: sumOf(of) },
      amountRaw: of.reduce((sum, it) => sum + (it.amountRaw * it.tracedRaw) / it.movedRaw, 0n),
    }))
    .sort(largestFirst)
    .map(({ payment }) => payment);
};

const moneyOf = ({
  amountRaw,
  tracedRaw,
  decimals,
}: Pick<Money, 'decimals'> & Readonly<Record<'amountRaw' | 'tracedRaw', bigint | null>>): Money | null =>
  amountRaw === null || tracedRaw === null ? null : { amountRaw, tracedRaw, decimals };

type Money = { readonly amountRaw: bigint; readonly tracedRaw: bigint; readonly decimals: number | null };

type Onward = {
  readonly chain: Chain;
  readonly address: Address;
  readonly asset: string;
  readonly atUnixSeconds: number;
  /** null: everything that arrived then. */
  readonly money: Money | null;
  readonly counterparty?: Address;
};

/** null where none of the money goes on. */
const follow = (
  { chain, address, asset, atUnixSeconds, money, counterparty }: Onward,
  { backward, maxHops }: Pick<FollowRequest, 'backward' | 'maxHops'>,
): NextCall | null => {
  if (money?.tracedRaw === 0n) return null;
  const body = {
    ...{
      chain: chain.name,
      address: presentAddress(chain, address),
      asset: presentCanonicalAsset(chain, asset),
    },
    [backward ? 'until' : 'since']: atUnixSeconds,
    ...(money === null ? {} : amountFields(money)),
    ...(counterparty === undefined ? {} : { counterparty: presentAddress(chain, counterparty) }),
    ...(backward ? { backward } : {}),
    ...(maxHops === HOPS_DEFAULT ? {} : { max_hops: maxHops }),
  };
  return { path: '/follow', body };
};

/** The next call names all that moved, as if the trail had not been cut, and the traced part beside it. */
const amountFields = ({ amountRaw, tracedRaw, decimals }: Money) => ({
  amount: toWholeUnits(amountRaw, decimals),
  ...(tracedRaw === amountRaw ? {} : { traced_raw: String(tracedRaw) }),
});

const presentCanonicalAsset = (chain: Chain, asset: string): string =>
  asset === NATIVE ? NATIVE : presentAddress(chain, asset);

type Known<Reason extends 'dex_swap' | 'bridge'> = Extract<TrailEnd, { reason: Reason }> & {
  readonly output: NonNullable<Extract<TrailEnd, { reason: Reason }>['output']>;
};

const behindSwap = (trail: Trail, end: Known<'dex_swap'>): Onward => {
  const { address, output, timeUnixSeconds: atUnixSeconds } = end;
  const { asset, amountRaw, decimals } = output;
  const money = amountRaw === null ? null : { ...{ amountRaw, decimals }, ...tracedBehind(trail, amountRaw) };
  return { chain: trail.chain, address, asset, atUnixSeconds, money };
};

const behindBridge = (trail: Trail, { output }: Known<'bridge'>): Onward => {
  const { chain, address, asset, amountRaw, timeUnixSeconds: atUnixSeconds } = output;
  const money = { amountRaw, decimals: asset.decimals, ...tracedBehind(trail, amountRaw) };
  return { ...{ chain, address, asset: asset.asset, atUnixSeconds }, money };
};

const tracedBehind = (trail: Trail, amountRaw: bigint): Pick<Money, 'tracedRaw'> => ({
  tracedRaw: traceOutput(trail, trail.end, amountRaw),
});

/** Behind contracts there may be several senders. */
const fromHop = ({ chain, asset }: Trail, hop: ShownHop): Onward => ({
  ...{ chain, address: hop.to, asset: asset.canonicalAsset, atUnixSeconds: hop.sinceUnixSeconds },
  money: { amountRaw: hop.amountRaw, tracedRaw: hop.tracedRaw, decimals: asset.decimals },
  ...(hop.through.length === 0 ? { counterparty: hop.from } : {}),
});

/** The transaction that the hop names. */
const mainOf = ({ transactions, signature, amountRaw, timeUnixSeconds }: ShownHop): Carried =>
  transactions.find((it) => it.signature === signature) ?? { signature, amountRaw, timeUnixSeconds };

/** Only the coin and stablecoins can be traced through a service. */
const trace = (
  { chain, asset, backward }: Pick<Trail, 'chain' | 'asset' | 'backward'>,
  { from, to, signature, amountRaw, timeUnixSeconds }: Pick<ShownHop, 'from' | 'to'> & Carried,
): NextCall | null => {
  if (!isTraceable(chain, asset.canonicalAsset)) return null;
  const amount = toWholeUnits(amountRaw, asset.decimals);
  const isCoin = asset.canonicalAsset === NATIVE;
  return {
    path: '/trace',
    body: {
      ...{ chain: chain.name, wallet: presentAddress(chain, from) },
      ...{ counterparty: presentAddress(chain, to), signature },
      ...{ direction: backward ? 'in' : 'out', time: timeUnixSeconds },
      ...{ sol: isCoin ? amount : 0, usd: isCoin ? 0 : amount },
    },
  };
};

const isTraceable = (chain: Chain, canonicalAsset: CanonicalAsset): boolean =>
  canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset);
