import type { Address } from '../../model/address.ts';
import { addRaw, least, most, sumOf } from '../../model/amount.ts';
import type { CanonicalAsset } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { isMain } from '../decide-step.ts';
import { firstIndex } from '../payments/first-index.ts';
import { groupDestinations, type WalletDestination } from '../payments/group-destinations.ts';
import { isPassedOn } from '../payments/is-passed-on.ts';
import type { Outgoing } from '../payments/outgoing.ts';
import type { ReadTransactions } from '../read-transactions.ts';

/** To whom a contract paid out, within one transaction, what came into it there. */
export type Payout = {
  readonly payer: Address;
  readonly to: Address;
  /** So much to that one in all, of so much that came, or that it paid out, whichever is more. */
  readonly partRaw: bigint;
  readonly ofRaw: bigint;
  /** Whom else it paid there. */
  readonly besides: readonly Outgoing[];
};

export type Brought = {
  readonly at: TransactionPosition;
  readonly payer: Address;
  readonly amountRaw: bigint;
};

/** What was brought to a contract, and as much of it as it passed on: more than 0. */
export type Passing = { readonly payout: Payout; readonly broughtRaw: bigint; readonly passedRaw: bigint };

/**
 * Who got just what was brought to a contract, but for a fee, else whoever got most of all that came: the same payout for all of
 * whom that is said. Together it passes on no more than it paid. null: it kept it, paid nobody most of it, or the transaction was
 * not read.
 */
export type TellPayout = (brought: Brought) => Passing | null;

type Asked = { readonly chain: Chain; readonly canonicalAsset: CanonicalAsset; readonly backward: boolean };

/** Over the rows of whole transactions. Backward, a payout is what somebody paid into the contract for what left it. */
export const createTellPayout = (rows: ReadTransactions['rows'], asked: Asked): TellPayout => {
  const paying = new Map([...rows].map(([key, of]) => [key, toPaying(of, asked)]));
  return ({ at, payer, amountRaw: broughtRaw }) => {
    const paid = paying.get(transactionKey(at))?.get(payer);
    const payout = paid && (findSame(paid, { payer, broughtRaw }, asked.backward) ?? paid.payout);
    if (!payout) return null;
    const { to, partRaw, ofRaw } = payout;
    const leftRaw = partRaw - (paid.claimedRaw.get(to) ?? 0n);
    const passedRaw = least((broughtRaw * partRaw) / ofRaw, leftRaw);
    if (passedRaw === 0n) return null;
    addRaw(paid.claimedRaw, to, passedRaw);
    return { payout, broughtRaw, passedRaw };
  };
};

/** Destinations stand largest first. */
const findSame = (
  { destinations, claimedRaw }: Paying,
  { payer, broughtRaw }: { readonly payer: Address; readonly broughtRaw: bigint },
  backward: boolean,
): Payout | null => {
  const isSame = ({ amountRaw }: WalletDestination): boolean => isPassedOn(amountRaw, broughtRaw, backward);
  const first = firstIndex(destinations, (other) => isSame(other) || other.amountRaw < broughtRaw);
  const next = destinations.slice(first).find((other) => !isSame(other) || !claimedRaw.has(other.address));
  if (next === undefined || !isSame(next)) return null;
  const { address: to, amountRaw: partRaw } = next;
  return { payer, to, partRaw, ofRaw: most(partRaw, broughtRaw), besides: [] };
};

/** What one paid within a transaction, and to whom that was most of what came to him. */
type Paying = {
  readonly destinations: readonly WalletDestination[];
  readonly payout: Payout | null;
  /** What of that was told already. */
  readonly claimedRaw: Map<Address, bigint>;
};

/** Of the followed asset, on the trail's way. */
const toPaying = (
  rows: readonly TransactionRow[],
  { chain, canonicalAsset, backward }: Asked,
): ReadonlyMap<Address, Paying> => {
  const payments = rows
    .filter((row) => row.canonicalAsset === canonicalAsset)
    .map(({ from, to, blockTime, blockNumber, txIndex, amountRaw }) => {
      const paid = { type: 'transfer' as const, blockTime, blockNumber, txIndex, amountRaw };
      return backward ? { ...paid, payer: to, to: from } : { ...paid, payer: from, to };
    })
    // Wrapping is no payment.
    .filter(({ payer, to }) => payer !== to && payer !== chain.wrappedNative && to !== chain.wrappedNative);
  const cameRaw = new Map<Address, bigint>();
  for (const { to, amountRaw } of payments) addRaw(cameRaw, to, amountRaw);
  return new Map(
    [...Map.groupBy(payments, ({ payer }) => payer)].map(([payer, paid]) => {
      const destinations = groupDestinations(paid, backward).filter((one) => one.type === 'wallet');
      const ofRaw = most(cameRaw.get(payer) ?? 0n, sumOf(paid));
      const main = destinations.find((one) => isMain(one, ofRaw));
      const besides = paid.filter(({ to }) => to !== main?.address);
      const payout = main ? { payer, to: main.address, partRaw: main.amountRaw, ofRaw, besides } : null;
      return [payer, { destinations, payout, claimedRaw: new Map() }];
    }),
  );
};
