import type { DecodedBlock } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import type { Swap } from '../investigate/model/movement.ts';
import { buildBlock, type ControlPlan, type MovementPlan, type TransactionPlan } from './build-block.ts';

export type StoryStep = {
  readonly time: number;
  readonly hash?: string;
  /** Who sent the transaction; by default the first movement's sender. */
  readonly by?: string;
  readonly moves?: readonly MovementPlan[];
  readonly swaps?: readonly Omit<Swap, 'txIndex' | 'index'>[];
  readonly crossings?: readonly Crossing[];
  readonly controls?: readonly ControlPlan[];
};

export type Crossing = Omit<BridgeTransfer, 'txIndex' | 'index'>;

export const move = (
  from: string | null,
  to: string | null,
  amountRaw: bigint,
  more: Partial<MovementPlan> = {},
): MovementPlan => ({ from, to, amountRaw, ...more });

/** What happened, one transaction after the other, as blocks: steps of one time share a block. */
export const tellStory = (chain: string, steps: readonly StoryStep[]): DecodedBlock[] =>
  [...Map.groupBy(steps, ({ time }) => time)].map(([time, ofBlock]) =>
    buildBlock({
      chain,
      number: time,
      timeUnixSeconds: time,
      transactions: ofBlock.map((step, position): TransactionPlan => {
        const {
          hash = `tx-${time}-${position}`,
          moves = [],
          swaps = [],
          crossings = [],
          controls = [],
        } = step;
        const sender = step.by ?? moves[0]?.from ?? swaps[0]?.owner ?? 'nobody';
        return { hash, sender, movements: moves, swaps, bridgeTransfers: crossings, controlEvents: controls };
      }),
    }),
  );
