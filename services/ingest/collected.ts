import type { BlockTransaction, DecodeProblem } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import type { ControlEvent } from '../investigate/model/control-event.ts';
import type { Movement, Swap } from '../investigate/model/movement.ts';

/** What was decoded of a block so far. */
export type Collected = {
  readonly transactions: BlockTransaction[];
  readonly movements: Movement[];
  readonly swaps: Swap[];
  readonly bridgeTransfers: BridgeTransfer[];
  readonly controlEvents: ControlEvent[];
  readonly problems: DecodeProblem[];
  readonly exempt: Record<string, number[]>;
};

export const collectNothing = (): Collected => ({
  transactions: [],
  movements: [],
  swaps: [],
  bridgeTransfers: [],
  controlEvents: [],
  problems: [],
  exempt: {},
});

type Rows = { readonly transaction: BlockTransaction } & {
  readonly [Kind in 'movements' | 'swaps' | 'bridgeTransfers' | 'controlEvents']: Readonly<Collected[Kind]>;
};

/** A transaction is listed if any row is its own: a relay to oneself moves nothing, but its bridge logs it. */
export const collectRows = (
  all: Collected,
  { transaction, movements, swaps, bridgeTransfers, controlEvents }: Rows,
): void => {
  if (movements.length + bridgeTransfers.length + controlEvents.length > 0)
    all.transactions.push(transaction);
  for (const movement of movements) all.movements.push(movement);
  for (const swap of swaps) all.swaps.push(swap);
  for (const transfer of bridgeTransfers) all.bridgeTransfers.push(transfer);
  for (const event of controlEvents) all.controlEvents.push(event);
};

/** This transaction's sums need not balance. */
export const collectExempt = (all: Collected, reason: string, txIndex: number): void => {
  const listed = all.exempt[reason];
  if (listed === undefined) all.exempt[reason] = [txIndex];
  else listed.push(txIndex);
};
