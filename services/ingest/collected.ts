import type { BlockTransaction, DecodeProblem } from '../investigate/model/block.ts';
import type { BridgeTransfer } from '../investigate/model/bridge-transfer.ts';
import type { Movement, Swap } from '../investigate/model/movement.ts';

/** What was decoded of a block so far. */
export type Collected = {
  readonly transactions: BlockTransaction[];
  readonly movements: Movement[];
  readonly swaps: Swap[];
  readonly bridgeTransfers: BridgeTransfer[];
  readonly problems: DecodeProblem[];
  readonly exempt: Record<string, number[]>;
};

export const collectNothing = (): Collected => ({
  transactions: [],
  movements: [],
  swaps: [],
  bridgeTransfers: [],
  problems: [],
  exempt: {},
});

type Rows = { readonly transaction: BlockTransaction } & {
  readonly [Kind in 'movements' | 'swaps' | 'bridgeTransfers']: Readonly<Collected[Kind]>;
};

/** A transaction is listed where it moved something, or where a bridge told of it: a relay to oneself has no row. */
export const collectRows = (
  all: Collected,
  { transaction, movements, swaps, bridgeTransfers }: Rows,
): void => {
  if (movements.length > 0 || bridgeTransfers.length > 0) all.transactions.push(transaction);
  for (const movement of movements) all.movements.push(movement);
  for (const swap of swaps) all.swaps.push(swap);
  for (const transfer of bridgeTransfers) all.bridgeTransfers.push(transfer);
};

/** The sums of this transaction need not come out. */
export const collectExempt = (all: Collected, reason: string, txIndex: number): void => {
  const listed = all.exempt[reason];
  if (listed === undefined) all.exempt[reason] = [txIndex];
  else listed.push(txIndex);
};
