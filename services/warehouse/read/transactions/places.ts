import type { TransactionPosition } from '../../../investigate/model/transfer-reader.ts';

/** For `(block_number, tx_index) IN …`, of the parameters below. */
export const PLACES = 'arrayZip({blocks:Array(UInt64)}, {transactions:Array(Int32)})';

export const toPlaces = (positions: readonly TransactionPosition[]) => ({
  blocks: positions.map(({ blockNumber }) => blockNumber),
  transactions: positions.map(({ txIndex }) => txIndex),
});
