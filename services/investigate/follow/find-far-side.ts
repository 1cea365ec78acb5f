import type { Address } from '../model/address.ts';
import { assetSymbol, formsOn, knownDecimals } from '../model/asset.ts';
import { CHAINS, type Chain, findChain } from '../model/chain.ts';
import { type FarArrival, ReadFailedError } from '../model/transfer-reader.ts';
import { BudgetSpentError } from './follow-reader.ts';
import type { Journey } from './journey.ts';
import { type BridgeArrival, matchBridge } from './match-bridge.ts';
import { BRIDGE_SECONDS_MAX, FIRST_PAGE_ROWS } from './rules.ts';
import type { FarSide, FoundHop } from './trail.ts';

/** Amounts of two chains are compared in these: the most decimals that a listed asset has. */
const COMMON_DECIMALS = 18;

type Payout = BridgeArrival & { readonly chain: Chain; readonly paid: FarArrival };

/**
 * Where money that went into a bridge came out, as far as the tables of other chains say: issued, or paid by a known bridge,
 * to the sender's own address, which is whom nearly everybody bridges to. Looked for among EVM chains, where one address is
 * one key. null where nothing fits, where it cannot be read, and backward.
 */
export const findFarSide = async (journey: Journey, into: FoundHop): Promise<FarSide | null> => {
  const { chain, backward } = journey.request;
  const { decimals } = journey.asset;
  if (backward || chain.family !== 'evm' || decimals === null) return null;
  try {
    const { blockTime, amountRaw } = into.signature;
    const departure = {
      ...{ messageId: null, beneficiary: into.from, timeUnixSeconds: blockTime },
      amountRaw: toCommon(amountRaw, decimals),
    };
    const match = matchBridge(departure, await readPayouts(journey, into.from, blockTime));
    return match === null ? null : await describePayout(journey, match.arrival, match);
  } catch (error) {
    // The trail ends at the bridge in any case: what lies behind it is an addition.
    const isUnread = error instanceof ReadFailedError && error.code !== 'aborted';
    if (isUnread || error instanceof BudgetSpentError) return null;
    throw error;
  }
};

const toCommon = (amountRaw: bigint, decimals: number): bigint =>
  amountRaw * 10n ** BigInt(Math.max(0, COMMON_DECIMALS - decimals));

const readPayouts = async (journey: Journey, wallet: Address, fromUnixSeconds: number): Promise<Payout[]> => {
  const { request, asset, read } = journey;
  const far = CHAINS.filter(({ family, name }) => family === 'evm' && name !== request.chain.name);
  const forms = far.map((chain) => ({ chain, families: formsOn(chain, request.chain, asset.family) }));
  const families = [...new Set(forms.flatMap((form) => form.families))];
  if (families.length === 0) return [];
  const chains = forms.filter((form) => form.families.length > 0).map(({ chain }) => chain.name);
  const toUnixSeconds = fromUnixSeconds + BRIDGE_SECONDS_MAX;
  const arrivals = await read((reader, limits) =>
    reader.farArrivals({
      ...{ wallet, chains, families, fromUnixSeconds, toUnixSeconds },
      ...{ limit: FIRST_PAGE_ROWS, ...limits },
    }),
  );
  const isBridge = await findBridges(journey, arrivals);
  return arrivals.filter(isBridge).flatMap((paid) => toPayout(wallet, paid));
};

/** Money that was issued came over a bridge that burns and mints; anybody else who pays must be known as one. */
const findBridges = async (
  { read }: Journey,
  arrivals: readonly FarArrival[],
): Promise<(arrival: FarArrival) => boolean> => {
  const paid = arrivals.filter(({ payer }) => payer !== null);
  const known = new Map(
    await Promise.all(
      [...Map.groupBy(paid, ({ chain }) => chain)].map(async ([chain, of]) => {
        const addresses = [...new Set(of.flatMap(({ payer }) => payer ?? []))];
        return [
          chain,
          await read((reader, limits) => reader.labels({ chain, addresses, ...limits })),
        ] as const;
      }),
    ),
  );
  return ({ chain, payer }) => payer === null || known.get(chain)?.get(payer)?.kind === 'bridge';
};

const toPayout = (beneficiary: Address, paid: FarArrival): Payout[] => {
  const chain = findChain(paid.chain);
  const decimals = chain && knownDecimals(chain, paid.family);
  if (chain === null || decimals === null) return [];
  const amountRaw = toCommon(paid.amountRaw, decimals);
  return [{ messageId: null, beneficiary, amountRaw, timeUnixSeconds: paid.blockTime, chain, paid }];
};

/** null where the payout's block was retracted meanwhile. */
const describePayout = async (
  { read }: Journey,
  { chain, beneficiary, paid }: Payout,
  { by, confidence }: Pick<FarSide, 'by' | 'confidence'>,
): Promise<FarSide | null> => {
  const [signature = null] = await read((reader, limits) =>
    reader.transactionHashes({ chain: chain.name, positions: [paid], ...limits }),
  );
  if (signature === null) return null;
  const { family, amountRaw, blockTime } = paid;
  const asset = {
    asset: family,
    symbol: assetSymbol(chain, family),
    decimals: knownDecimals(chain, family),
  };
  return {
    ...{ chain, asset, address: beneficiary, amountRaw, timeUnixSeconds: blockTime },
    ...{ signature, by, confidence },
  };
};
