import type { Address } from '../model/address.ts';
import { isListed } from '../model/asset.ts';
import type { Payment } from '../model/case-reader.ts';
import type { Chain } from '../model/chain.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import type { Values } from '../model/value-amounts.ts';
import type { Judged } from './judge-taking.ts';
import { settleAccounts } from './settle-accounts.ts';
import type { Taking } from './weigh-transaction.ts';

/** A judged taking after all payments between the two parties are set off. */
export type Ruling = Exclude<Judged, { reason: null }> | (FoundLoss & { readonly reason: null });

type FoundLoss = Extract<Judged, { reason: null }> & { readonly refundedRaw: bigint };

/** For one payer. `payments`: what the subject paid it. */
export const settleLosses = (
  judged: readonly Judged[],
  payments: readonly Payment[],
  { chain, values }: { readonly chain: Chain; readonly values: Values },
): Ruling[] => {
  const losses = judged.filter((each) => each.reason === null);
  const lostIn = new Set(losses.map(({ taking }) => transactionKey(taking)));
  // A payment in the same transaction is already counted as a gain there.
  const later = payments.filter((payment) => !lostIn.has(transactionKey(payment)));
  const settled = settleAccounts(
    losses.map(({ taking, amountRaw, usd }) => ({ ...positionOf(taking), amountRaw, usd })),
    later.map((payment) => ({
      ...payment,
      // The creator of a token can trade it with himself at any price.
      usd: isListed(chain, payment.canonicalAsset) ? values.usdOf(payment) : null,
    })),
  );
  const rulings = losses.map((loss, index): Ruling => {
    const { refundedRaw = 0n, wasPaid = false } = settled[index] ?? {};
    return wasPaid ? { taking: loss.taking, reason: 'was_paid' } : { ...loss, refundedRaw };
  });
  return [...rulings, ...judged.filter((each) => each.reason !== null)];
};

const positionOf = ({ blockTime, blockNumber, txIndex, canonicalAsset }: Taking) => ({
  blockTime,
  blockNumber,
  txIndex,
  canonicalAsset,
});

export const byPayer = <Item extends { readonly taking: Taking }>(
  items: readonly Item[],
): ReadonlyMap<Address, readonly Item[]> => Map.groupBy(items, ({ taking }) => taking.payer);
