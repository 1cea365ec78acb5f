import type { AssetFact, DecodedBlock } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import type { ControlCoverage, ControlEvent } from '../investigate/model/control-event.ts';
import { type Movement, NATIVE, type Swap } from '../investigate/model/movement.ts';

export type TransactionPlan = {
  readonly hash: string;
  readonly sender: string;
  readonly movements?: readonly MovementPlan[];
  readonly swaps?: readonly Omit<Swap, 'txIndex' | 'index'>[];
  readonly bridgeTransfers?: readonly Omit<BridgeTransfer, 'txIndex' | 'index'>[];
  readonly controlEvents?: readonly ControlPlan[];
};

/** Nothing but what the test says, by the holder himself. */
export type ControlPlan = Partial<ControlEvent> & Pick<ControlEvent, 'kind' | 'subject'>;

/** A transfer of the coin that its owner signed for, unless it says otherwise. */
export type MovementPlan = Partial<Movement> & Pick<Movement, 'from' | 'to' | 'amountRaw'>;

export type BlockPlan = {
  readonly chain: string;
  readonly number: number;
  readonly timeUnixSeconds: number | null;
  readonly transactions: readonly TransactionPlan[];
  readonly assets?: readonly AssetFact[];
  /** Default `full`. */
  readonly controlCoverage?: ControlCoverage;
};

/** A decoded block from the few facts a test cares about: transactions and rows are numbered as they are listed. */
export const buildBlock = ({
  chain,
  number,
  timeUnixSeconds,
  transactions,
  assets = [],
  controlCoverage = 'full',
}: BlockPlan): DecodedBlock => ({
  chain,
  number,
  hash: `block-${number}`,
  parentHash: `block-${number - 1}`,
  parentNumber: number - 1,
  timeUnixSeconds,
  transactions: transactions.map(({ hash, sender }, txIndex) => ({ txIndex, hash, sender })),
  movements: transactions.flatMap(({ movements = [] }, txIndex) =>
    movements.map((movement, index) => ({
      kind: 'transfer' as const,
      asset: NATIVE,
      authority: null,
      ...movement,
      txIndex,
      index,
    })),
  ),
  swaps: transactions.flatMap(({ swaps = [] }, txIndex) =>
    swaps.map((swap, index) => ({ ...swap, txIndex, index })),
  ),
  bridgeTransfers: transactions.flatMap(({ bridgeTransfers = [] }, txIndex) =>
    bridgeTransfers.map((transfer, index) => ({ ...transfer, txIndex, index })),
  ),
  controlEvents: transactions.flatMap(({ controlEvents = [] }, txIndex) =>
    controlEvents.map((event, index) => ({
      ...{
        holder: null,
        party: null,
        asset: null,
        amountRaw: 0n,
        detail: null,
        emitter: null,
        byHolder: true,
      },
      ...{ ...event, txIndex, index },
    })),
  ),
  controlCoverage,
  assets,
  voteFeesRaw: 0n,
  problems: [],
  exempt: {},
});
