import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { TransactionRow } from '../../investigate/model/transfer-reader.ts';
import { type FoundTransaction, MOVEMENTS_MAX } from '../../investigate/transaction/find-transaction.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import type { TxAnswer } from './answer.ts';

/** The answer of POST /tx. Only presenters turn amounts into floats. */
export const presentTransaction = (
  found: FoundTransaction,
  { arePricesPending }: { readonly arePricesPending: ArePricesPending },
): TxAnswer => {
  const { chain, hash, rows, isKnown, isComplete, labels, values } = found;
  const [first] = rows;
  const name = (address: Address): string => presentAddress(chain, address);
  const labelOf = (address: Address) => {
    const label = labels.get(address);
    return label ? { name: label.name, kind: label.kind } : null;
  };
  const present = ({ from, to, authority, ...row }: TransactionRow) => {
    const { canonicalAsset, symbol, decimals } = values.assetOf(row.canonicalAsset);
    return {
      ...{ from: name(from), from_label: labelOf(from), to: name(to), to_label: labelOf(to) },
      asset: { symbol, address: canonicalAsset === NATIVE ? null : name(canonicalAsset), decimals },
      ...{ amount: toWholeUnits(row.amountRaw, decimals), amount_raw: String(row.amountRaw) },
      ...{ usd: values.usdOf(row), usd_source: values.priceOf(row)?.source ?? null },
      authority: authority === null ? null : name(authority),
    };
  };
  const scope = isKnown ? (isComplete ? 'full' : 'partial') : 'no_data';
  return {
    ...{ chain: chain.name as TxAnswer['chain'], hash },
    ...{ time: first?.blockTime ?? null, block: first?.blockNumber ?? null },
    sender: first ? name(first.sender) : null,
    sender_label: first ? labelOf(first.sender) : null,
    movements: rows.map(present),
    meta: {
      ...{ chain: chain.name as TxAnswer['chain'], scope, detail: detailOf(found) },
      ...presentBasis(chain, arePricesPending),
    },
  };
};

const detailOf = ({ rows, isKnown, isComplete }: FoundTransaction): string | null => {
  if (!isKnown) return 'The transaction is not indexed: check its hash and its chain.';
  if (!isComplete) return `Only its first ${MOVEMENTS_MAX} movements were read.`;
  return rows.length === 0 ? 'It moved nothing from one party to another.' : null;
};
