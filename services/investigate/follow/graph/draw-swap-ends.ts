import type { Address } from '../../model/address.ts';
import { larger, sumOf } from '../../model/amount.ts';
import { toCanonicalAsset } from '../../model/asset.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { NOTHING_KNOWN } from '../fates/fate.ts';
import type { FollowContext } from '../follow-context.ts';
import { findPositions } from '../positions/find-positions.ts';
import { nameIssuer } from '../positions/name-issuer.ts';
import { readAssets } from '../read-assets.ts';
import type { Reached } from './expand-flow.ts';
import type { FlowEnd, FlowPayment } from './flow-graph.ts';
import type { TracedPayments } from './trace-payments.ts';

export type Swap = Extract<FlowPayment, { type: 'swap' }>;

type Reaching = {
  readonly wallets: ReadonlyMap<Address, Reached>;
  readonly traced: TracedPayments;
};

export const likeliest = (of: readonly { readonly probability: number }[]): number =>
  of.reduce((best, { probability }) => Math.max(best, probability), 0);

/** One end per wallet that swapped and recipient of the output, with the asset that most of the money was given for. */
export const drawSwapEnds = async (
  context: FollowContext,
  swaps: readonly Swap[],
  { wallets, traced }: Reaching,
): Promise<readonly FlowEnd[]> => {
  const { chain } = context.request;
  const carrying = swaps.filter((swap) => traced.carried([swap]) > 0n);
  const found = [...Map.groupBy(carrying, ({ from, by }) => `${from} ${by}`).values()].map((of) => {
    const [{ from, by: address }] = of as [Swap];
    const byAsset = [...Map.groupBy(of, ({ output }) => output.asset)].map(([asset, got]) => ({
      ...{
        asset,
        amountRaw: traced.carried(got),
        givenRaw: sumOf(got),
        largest: toDeposit(got.reduce(larger)),
      },
      gotRaw: got.reduce<bigint | null>((sum, { output }) => addKnown(sum, output.amountRaw), 0n),
      sinceUnixSeconds: got.reduce(
        (first, { blockTime }) => Math.min(first, blockTime),
        Number.MAX_SAFE_INTEGER,
      ),
    }));
    const main = byAsset.reduce(larger);
    return { from, address, amountRaw: traced.carried(of), probability: likeliest(of), byAsset, main };
  });
  const positions = await readPositions(
    context,
    found.flatMap(({ byAsset }) => byAsset),
  );
  const canonicalAssets = found.map(({ main }) => toCanonicalAsset(chain, main.asset));
  const assetOf = await readAssets(chain, canonicalAssets, context.keeping(0));
  return found.map(({ from, address, amountRaw, probability, byAsset, main }): FlowEnd => {
    const { symbol, decimals } = assetOf(toCanonicalAsset(chain, main.asset));
    const { asset, gotRaw, sinceUnixSeconds } = main;
    const tracedRaw = gotRaw && (gotRaw * main.amountRaw) / main.givenRaw;
    const output = { asset, symbol, decimals, amountRaw: gotRaw, tracedRaw, sinceUnixSeconds, usd: null };
    const label = wallets.get(address)?.label ?? null;
    const issuer = positions.get(main.largest);
    return {
      ...{ reason: 'dex_swap', address, from, label, amountRaw, probability, output, crossings: [] },
      positionRaw: sumOf(byAsset.filter(({ largest }) => positions.has(largest))),
      ...(issuer === undefined ? {} : { position: { issuer } }),
      fate: NOTHING_KNOWN,
    };
  });
};

const toDeposit = ({ blockTime, blockNumber, txIndex, amountRaw, output, through }: Swap) => ({
  ...{ blockTime, blockNumber, txIndex, amountRaw, otherAsset: output.asset, through },
});

type Deposit = ReturnType<typeof toDeposit>;

/** The issuer of each that was a deposit, as far as it can be read in time. */
const readPositions = async (
  context: FollowContext,
  swaps: readonly { readonly largest: Deposit }[],
): Promise<ReadonlyMap<Deposit, string | null>> => {
  const finding = findPositions(
    { ...context, reads: context.keeping(0) },
    swaps.map(({ largest }) => largest),
  );
  const found = [...((await unlessLeftOut(finding, null)) ?? [])];
  const issuers = await Promise.all(found.map(({ otherAsset }) => nameIssuer(context, otherAsset)));
  return new Map(found.map((deposit, at) => [deposit, issuers[at] ?? null]));
};

const addKnown = (a: bigint | null, b: bigint | null): bigint | null =>
  a === null || b === null ? null : a + b;
