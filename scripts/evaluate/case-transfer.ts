import type { Address } from '../../services/investigate/model/address.ts';

/** One transfer of a case, or of a stranger at its addresses: dollars as raw units of the chain's coin. */
export type CaseTransfer = {
  readonly timeUnixSeconds: number;
  readonly txHash: string;
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
};
