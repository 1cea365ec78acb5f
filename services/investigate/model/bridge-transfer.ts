import type { Address } from './address.ts';
import type { Asset } from './asset.ts';

/** Bridges whose own messages are decoded. */
export type Bridge = 'cctp' | 'wormhole' | 'debridge' | 'across' | 'stargate';

/** The position in this list is the number stored in events: append, never reorder. */
export const BRIDGE_SIDES = ['deposit', 'delivery'] as const;
export type BridgeSide = (typeof BRIDGE_SIDES)[number];

/**
 * One side of money's way from chain to chain, as the bridge's own contract tells it: what was put in, or what was paid out.
 * What it does not tell is null.
 */
export type BridgeTransfer = {
  readonly txIndex: number;
  /** Position among the bridge transfers of its transaction, from 0. */
  readonly index: number;
  readonly bridge: Bridge;
  readonly side: BridgeSide;
  /** The bridge's own number of the crossing, or what stands for it, the same on both sides. null: not told. */
  readonly messageId: string | null;
  /** The chain of the other side, of `CHAINS`; null where it is none of them. */
  readonly farChain: string | null;
  /** Who put the money in. */
  readonly from: Address | null;
  /** Who is paid, in the form of the chain where that happens. */
  readonly to: Address | null;
  /** What moved on this side. */
  readonly asset: Asset | null;
  readonly amountRaw: bigint | null;
};
