import type { Profile } from '../../investigate/analyze/profile.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import { type Asset, assetSymbol, knownDecimals } from '../../investigate/model/asset.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { type TransactionPosition, transactionKey } from '../../investigate/model/transfer-reader.ts';

/** How the addresses, amounts and transactions of one profile are shown. */
export const createView = ({ chain, facts, signatures }: Profile) => {
  const address = (raw: Address): string => presentAddress(chain, raw);
  const amountOf = (canonicalAsset: Asset, amountRaw: bigint) => {
    const decimals = knownDecimals(chain, canonicalAsset) ?? facts.get(canonicalAsset)?.decimals ?? null;
    return { amount: toWholeUnits(amountRaw, decimals), amount_raw: String(amountRaw) };
  };
  const asset = (canonicalAsset: Asset) => ({
    symbol: assetSymbol(chain, canonicalAsset) ?? facts.get(canonicalAsset)?.symbol ?? null,
    address: canonicalAsset === NATIVE ? NATIVE : address(canonicalAsset),
    decimals: knownDecimals(chain, canonicalAsset) ?? facts.get(canonicalAsset)?.decimals ?? null,
  });
  const signature = (at: TransactionPosition): string | null => signatures.get(transactionKey(at)) ?? null;
  return {
    chain,
    ...{ address, amountOf, asset, signature },
    placed: (at: TransactionPosition) => ({ signature: signature(at), time: at.blockTime }),
  };
};

export type View = ReturnType<typeof createView>;
