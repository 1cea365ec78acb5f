import type { TransactionPosition } from '../../../investigate/model/transfer-reader.ts';

/** From columns as received: block numbers have 64 bits. */
export const toPosition = (blockTime: number, block: string, txIndex: number): TransactionPosition => ({
  blockTime,
  blockNumber: Number(block),
  txIndex,
});

/** For `(block_number, tx_index) IN …`, with the parameters below. */
export const PLACES = 'arrayZip({blocks:Array(UInt64)}, {transactions:Array(Int32)})';

export const toPlaces = (positions: readonly Pick<TransactionPosition, 'blockNumber' | 'txIndex'>[]) => ({
  blocks: positions.map(({ blockNumber }) => blockNumber),
  transactions: positions.map(({ txIndex }) => txIndex),
});
