import type { Address } from '../model/address.ts';
import type { PlacedMovement } from '../model/case-reader.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import { compareTransactions, type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import { HOLDERS_ASKED_MAX } from './rules.ts';
import { takeSome } from './take-some.ts';
import type { VictimsReads } from './victims-reader.ts';
import type { VictimsRequest } from './victims-report.ts';

/** Delegations of wallets to code (EIP-7702), by wallet. */
export type Delegations = ReadonlyMap<Address, readonly PlacedControlEvent[]>;

const EVENTS_MAX = 100;
const WALLETS = {
  part: 'transactions',
  at: 'addresses that money passed were looked at for delegations: what passed the others counts as paid by whoever paid them.',
};

/** The code that a wallet ran at a time; null if none. */
export const codeAt = (delegations: Delegations, wallet: Address, at: TransactionPosition): Address | null =>
  (delegations.get(wallet) ?? [])
    .filter((event) => compareTransactions(event, at) <= 0)
    .toSorted(compareTransactions)
    .at(-1)?.party ?? null;

export const readDelegations = async (
  { chain }: VictimsRequest,
  wallets: readonly Address[],
  reads: Pick<VictimsReads, 'controls' | 'session'>,
): Promise<Delegations> => {
  const some = takeSome(wallets, HOLDERS_ASKED_MAX, WALLETS, reads);
  const read = await reads.controls.eventsOf(
    { chain: chain.name, kinds: ['code_delegated'], order: 'newest_first', limit: EVENTS_MAX },
    some.map((address) => ({ address })),
  );
  return new Map(some.map((address, at) => [address, read[at]?.events ?? []]));
};

/** Whom money only passes in these transactions, though another sent them: contracts, and wallets that run code. */
export const findPassed = (rows: readonly PlacedMovement[], subject: Address): Address[] => {
  const passed = [...Map.groupBy(rows, transactionKey).values()].flatMap((own) => {
    const reached = new Set(own.map(({ to }) => to));
    return own.flatMap(({ from, sender }) =>
      from !== null && from !== sender && from !== subject && reached.has(from) ? [from] : [],
    );
  });
  return [...new Set(passed)];
};

/**
 * The rows of one transaction, without what others paid a wallet whose code sent it on at once: it was the wallet's then. What the wallet
 * got for a payment of its own stays.
 */
export const withoutPassage = (
  rows: readonly PlacedMovement[],
  delegations: Delegations,
): readonly PlacedMovement[] => {
  const runsCode = (wallet: Address | null, at: TransactionPosition): boolean =>
    wallet !== null && codeAt(delegations, wallet, at) !== null;
  const paid = new Set(rows.map(({ from, to }) => `${from} ${to}`));
  const sent = new Set(rows.map(({ from, canonicalAsset }) => `${from} ${canonicalAsset}`));
  return rows.filter(
    (row) =>
      !sent.has(`${row.to} ${row.canonicalAsset}`) ||
      paid.has(`${row.to} ${row.from}`) ||
      !runsCode(row.to, row),
  );
};
