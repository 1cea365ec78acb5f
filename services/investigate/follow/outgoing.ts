import type { Address } from '../model/address.ts';
import type { SwapOut, TransactionPosition } from '../model/transfer-reader.ts';

/** Money of the followed asset that reached a wallet with one transaction. */
export type Arrival = TransactionPosition & { readonly amountRaw: bigint };

/** What counts as money leaving: a transfer, or all that one transaction gave away in swaps. */
export type Outgoing = TransactionPosition & {
  readonly amountRaw: bigint;
} & (
    | { readonly type: 'transfer'; readonly to: Address }
    /** One swap for each asset that came back; each was given the whole amount. Never empty. */
    | { readonly type: 'swap'; readonly swaps: readonly SwapOut[] }
  );
