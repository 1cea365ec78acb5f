import type { TransactionPosition } from '../../../investigate/model/transfer-reader.ts';

/** For `(block_number, tx_index) IN …`: a short range of the key for each position. */
export const PLACES = 'arrayZip({blocks:Array(UInt64)}, {transactions:Array(Int32)})';

/** What `PLACES` names. */
export const placesOf = (positions: readonly Pick<TransactionPosition, 'blockNumber' | 'txIndex'>[]) => ({
  blocks: positions.map(({ blockNumber }) => blockNumber),
  transactions: positions.map(({ txIndex }) => txIndex),
});
