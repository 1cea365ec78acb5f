import type { Address } from '../../model/address.ts';
import { sumOf } from '../../model/amount.ts';
import type { AssetFamily } from '../../model/asset.ts';
import type { Chain } from '../../model/chain.ts';
import {
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { isMain } from '../decide-step.ts';
import { groupDestinations } from '../payments/group-destinations.ts';
import type { Outgoing } from '../payments/outgoing.ts';
import type { ReadTransactions } from '../read-transactions.ts';
import { MAJORITY_PARTS, PARTS } from '../rules.ts';

/** To whom a contract paid out, within one transaction, most of what came into it there. */
export type Payout = {
  readonly payer: Address;
  readonly to: Address;
  /** So much was passed on of so much that came: never more than all, nor less than half. */
  readonly partRaw: bigint;
  readonly ofRaw: bigint;
  /** Whom else it paid there. */
  readonly besides: readonly Outgoing[];
};

/** null: it kept it, paid nobody most of it, or the transaction was not read. */
export type TellPayout = (at: TransactionPosition, payer: Address) => Payout | null;

type Asked = { readonly chain: Chain; readonly family: AssetFamily; readonly backward: boolean };

/** Over the rows of whole transactions. Backward, a payout is what somebody paid into the contract for what left it. */
export const createTellPayout = (rows: ReadTransactions['rows'], asked: Asked): TellPayout => {
  const sides = new Map([...rows].map(([key, of]) => [key, toSides(of, asked)]));
  const told = new Map<string, Payout | null>();
  return (at, payer) => {
    const place = transactionKey(at);
    const key = `${place} ${payer}`;
    const known = told.get(key);
    if (known !== undefined) return known;
    const payout = toPayout(payer, sides.get(place) ?? NO_SIDES, asked.backward);
    told.set(key, payout);
    return payout;
  };
};

type Paid = Extract<Outgoing, { type: 'transfer' }>;
/** Of the followed asset, on the trail's way. */
type Sides = {
  readonly paidBy: ReadonlyMap<Address, readonly Paid[]>;
  readonly cameRaw: ReadonlyMap<Address, bigint>;
};

const NO_SIDES: Sides = { paidBy: new Map(), cameRaw: new Map() };

const toSides = (rows: readonly TransactionRow[], { chain, family, backward }: Asked): Sides => {
  const paidBy = new Map<Address, Paid[]>();
  const cameRaw = new Map<Address, bigint>();
  for (const row of rows) {
    const { blockTime, blockNumber, txIndex, amountRaw } = row;
    const [from, to] = backward ? [row.to, row.from] : [row.from, row.to];
    // Wrapping is no payment.
    if (row.family !== family || from === to || [from, to].includes(chain.wrappedNative)) continue;
    const paid: Paid = { type: 'transfer', blockTime, blockNumber, txIndex, amountRaw, to };
    const others = paidBy.get(from);
    if (others === undefined) paidBy.set(from, [paid]);
    else others.push(paid);
    cameRaw.set(to, (cameRaw.get(to) ?? 0n) + amountRaw);
  }
  return { paidBy, cameRaw };
};

const toPayout = (payer: Address, { paidBy, cameRaw }: Sides, backward: boolean): Payout | null => {
  const ofRaw = cameRaw.get(payer) ?? 0n;
  const paid = paidBy.get(payer) ?? [];
  const leftRaw = sumOf(paid);
  const [largest] = groupDestinations(paid, backward);
  if (ofRaw === 0n || largest?.type !== 'wallet' || !isMain(largest, leftRaw)) return null;
  const { address: to, amountRaw } = largest;
  if (amountRaw * PARTS < ofRaw * MAJORITY_PARTS) return null;
  const partRaw = amountRaw < ofRaw ? amountRaw : ofRaw;
  return { payer, to, partRaw, ofRaw, besides: paid.filter((other) => other.to !== to) };
};
