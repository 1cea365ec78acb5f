import type { Address } from './address.ts';
import type { Asset } from './asset.ts';

/** Bridges whose own messages are decoded. */
export type Bridge = 'cctp' | 'wormhole' | 'debridge' | 'across' | 'stargate';

/** The position in this list is the number stored in events: append, never reorder. */
export const BRIDGE_SIDES = ['deposit', 'delivery'] as const;
export type BridgeSide = (typeof BRIDGE_SIDES)[number];

/**
 * One leg of a bridge transfer, as the bridge's own contract reports it: a deposit or a payout. Facts that
 * the bridge does not report are null.
 */
export type BridgeTransfer = {
  readonly txIndex: number;
  /** Position among the bridge transfers of its transaction, from 0. */
  readonly index: number;
  readonly bridge: Bridge;
  readonly side: BridgeSide;
  /** The bridge's own id of the transfer, or a substitute, the same on both legs. null: not reported. */
  readonly messageId: string | null;
  /** The chain of the other leg, one of `CHAINS`; null when it is none of them. */
  readonly farChain: string | null;
  /** The depositor. */
  readonly from: Address | null;
  /** The recipient, in the address form of the destination chain. */
  readonly to: Address | null;
  /** The asset and amount of this leg. */
  readonly asset: Asset | null;
  readonly amountRaw: bigint | null;
};
