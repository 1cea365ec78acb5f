import type { Address } from '../../model/address.ts';
import { abs, least } from '../../model/amount.ts';
import { type CanonicalAsset, formsOn, knownDecimals } from '../../model/asset.ts';
import { CHAINS, type Chain, findChain } from '../../model/chain.ts';
import { passingKind } from '../../model/label.ts';
import type { FarArrival, PlacedBridgeTransfer, TransactionPosition } from '../../model/transfer-reader.ts';
import { type FollowContext, readLabelsOn } from '../follow-context.ts';
import { describeListed } from '../read-assets.ts';
import { BRIDGE_FEE_MAX_PARTS, BRIDGE_SECONDS_MAX, FIRST_PAGE_ROWS, PARTS } from '../rules.ts';
import type { FarSide, FoundHop } from '../trail.ts';
import { AMONG_MORE, type BridgeMoney, matchBridge } from './match-bridge.ts';

/** Amounts of two chains are compared in these: the most decimals that a listed asset has. */
const COMMON_DECIMALS = 18;

type Payout = BridgeMoney & { readonly chain: Chain; readonly paid: FarArrival };

/**
 * The payout that fits what went into a bridge: issued, or paid by a known bridge, to whom the bridge named in `near`, else
 * to the sender's own address, which is whom nearly everybody bridges to. Without `near` it is looked for among EVM chains,
 * where one address is one key. null where nothing fits.
 */
export const findPayout = async (
  context: FollowContext,
  into: Pick<FoundHop, 'mainTransfer' | 'from'>,
  near: PlacedBridgeTransfer | null,
): Promise<FarSide | null> => {
  const { decimals } = context.asset;
  if (decimals === null) return null;
  const { blockTime, amountRaw } = into.mainTransfer;
  const departure = {
    messageId: near?.messageId ?? null,
    beneficiary: near?.to ?? into.from,
    timeUnixSeconds: blockTime,
    amountRaw: toCommon(amountRaw, decimals),
  };
  const arrivals = await readArrivals(context, departure, near);
  const match = matchBridge(departure, await toPayouts(context, departure.beneficiary, arrivals, near));
  if (match === null) return null;
  // More payouts beyond the read limit may fit.
  const isCut = arrivals.length >= FIRST_PAGE_ROWS && match.by === 'beneficiary';
  const confidence = isCut ? Math.min(match.confidence, AMONG_MORE) : match.confidence;
  const { chain, paid } = match.arrival;
  const [signature] = await context.reads.transactionHashes({ chain: chain.name }, [paid]);
  // Its block was retracted meanwhile.
  if (!signature) return null;
  const asset = describeListed(chain, paid.canonicalAsset);
  const told = { chain, asset, address: departure.beneficiary, amountRaw: paid.amountRaw, signature };
  const { by } = match;
  const bridgedRaw = by === 'id' ? (near?.amountRaw ?? null) : null;
  return { ...told, timeUnixSeconds: paid.blockTime, by, confidence, bridgedRaw };
};

const toCommon = (amountRaw: bigint, decimals: number): bigint =>
  amountRaw * 10n ** BigInt(Math.max(0, COMMON_DECIMALS - decimals));

/** Where the bridge said, else every other EVM chain. */
const farChains = (chain: Chain, near: PlacedBridgeTransfer | null): readonly Chain[] => {
  if (near !== null) return CHAINS.filter(({ name }) => name === near.farChain);
  return chain.family === 'evm'
    ? CHAINS.filter(({ family, name }) => family === 'evm' && name !== chain.name)
    : [];
};

const readArrivals = async (
  { request, asset, reads }: FollowContext,
  departure: BridgeMoney,
  near: PlacedBridgeTransfer | null,
): Promise<readonly FarArrival[]> => {
  const forms = farChains(request.chain, near).flatMap((chain) =>
    formsOn(chain, request.chain, asset.canonicalAsset).map((canonicalAsset) => ({ chain, canonicalAsset })),
  );
  if (forms.length === 0) return [];
  const leastRaw = new Map<CanonicalAsset, bigint>();
  // Smaller payouts are never searched, because anybody can send dust. A crossing's number was already asked for.
  const arrivingRaw = (departure.amountRaw * (PARTS - BRIDGE_FEE_MAX_PARTS)) / PARTS;
  for (const { chain, canonicalAsset } of forms) {
    const raw = arrivingRaw / 10n ** BigInt(COMMON_DECIMALS - (knownDecimals(chain, canonicalAsset) ?? 0));
    leastRaw.set(canonicalAsset, least(raw, leastRaw.get(canonicalAsset) ?? raw));
  }
  const { beneficiary: wallet, timeUnixSeconds: fromUnixSeconds } = departure;
  const common = {
    ...{ chains: [...new Set(forms.map(({ chain }) => chain.name))], leastRaw, fromUnixSeconds },
    toUnixSeconds: fromUnixSeconds + BRIDGE_SECONDS_MAX,
    limit: FIRST_PAGE_ROWS,
  };
  const [arrivals = []] = await reads.farArrivals(common, [wallet]);
  return arrivals;
};

/** Payouts by bridges, with their numbers, except those that the bridge assigns to another crossing. */
const toPayouts = async (
  context: FollowContext,
  beneficiary: Address,
  arrivals: readonly FarArrival[],
  near: PlacedBridgeTransfer | null,
): Promise<Payout[]> => {
  const isBridge = await findBridges(context, arrivals);
  const paid = arrivals.filter(isBridge);
  const deliveries = await readDeliveries(context, paid);
  const foreign = near === null ? await findDeposited(context, [...deliveries.values()].flat()) : new Set();
  return paid.flatMap((arrival) => {
    const delivery = deliveryOf(deliveries.get(placeOf(arrival)) ?? [], arrival, beneficiary);
    if (delivery !== undefined && (foreign.has(delivery) || (near && near.bridge !== delivery.bridge)))
      return [];
    return toPayout(beneficiary, arrival, delivery?.messageId ?? null);
  });
};

type Placed = TransactionPosition & { readonly chain: string };
const placeOf = ({ chain, blockNumber, txIndex }: Placed): string => `${chain}/${blockNumber}/${txIndex}`;

/** An issued amount came over a burn-and-mint bridge. Any other payer must be a known bridge. */
const findBridges = async (
  { reads }: FollowContext,
  arrivals: readonly FarArrival[],
): Promise<(arrival: FarArrival) => boolean> => {
  const paid = arrivals.filter(({ payer }) => payer !== null);
  const asked = [...Map.groupBy(paid, ({ chain }) => chain)].map(async ([chain, of]) => {
    const addresses = [...new Set(of.flatMap(({ payer }) => payer ?? []))];
    return [chain, await readLabelsOn(chain, addresses, reads)] as const;
  });
  const known = new Map(await Promise.all(asked));
  return ({ chain, payer }) => {
    const label = payer === null ? undefined : known.get(chain)?.get(payer);
    return payer === null || (label !== undefined && passingKind(label) === 'bridge');
  };
};

/** One transaction may deliver several crossings. The one of an arrival pays its wallet and is nearest in amount. */
const deliveryOf = (
  delivered: readonly PlacedBridgeTransfer[],
  { amountRaw: arrivedRaw }: FarArrival,
  beneficiary: Address,
): PlacedBridgeTransfer | undefined => {
  const apart = ({ amountRaw }: PlacedBridgeTransfer): bigint => abs((amountRaw ?? 0n) - arrivedRaw);
  const [nearest] = delivered
    .filter(({ to }) => to === null || to === beneficiary)
    .sort((a, b) => (apart(a) < apart(b) ? -1 : 1));
  return nearest;
};

/** What bridges reported about these arrivals, by transaction. */
const readDeliveries = async (
  { reads }: FollowContext,
  arrivals: readonly FarArrival[],
): Promise<ReadonlyMap<string, readonly PlacedBridgeTransfer[]>> => {
  const told = await Promise.all(
    [...Map.groupBy(arrivals, ({ chain }) => chain)].map(([chain, positions]) =>
      reads.bridgeTransfers({ chain }, positions),
    ),
  );
  const deliveries = told.flat(2).filter(({ side }) => side === 'delivery');
  return Map.groupBy(deliveries, placeOf);
};

/** Those whose deposit is known. If the hop itself is not that deposit, they are somebody else's. */
const findDeposited = async (
  { reads }: FollowContext,
  deliveries: readonly PlacedBridgeTransfer[],
): Promise<ReadonlySet<PlacedBridgeTransfer>> => {
  const messages = deliveries.flatMap(({ bridge, messageId }) =>
    messageId === null ? [] : [{ bridge, messageId }],
  );
  if (messages.length === 0) return new Set();
  const told = (await reads.bridgeMessages({}, messages)).flat();
  const keyOf = ({ bridge, messageId }: PlacedBridgeTransfer): string => `${bridge}/${messageId}`;
  const deposited = new Set(told.filter(({ side }) => side === 'deposit').map(keyOf));
  return new Set(deliveries.filter((delivery) => deposited.has(keyOf(delivery))));
};

const toPayout = (beneficiary: Address, paid: FarArrival, messageId: string | null): Payout[] => {
  const chain = findChain(paid.chain);
  const decimals = chain && knownDecimals(chain, paid.canonicalAsset);
  if (chain === null || decimals === null) return [];
  const amountRaw = toCommon(paid.amountRaw, decimals);
  return [{ messageId, beneficiary, amountRaw, timeUnixSeconds: paid.blockTime, chain, paid }];
};
