import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import { handOverBurnt } from './hand-over-burnt.ts';
import { type BridgeCall, readCctpCall } from './read-cctp-call.ts';

export type BridgeFindings = {
  readonly movements: readonly Movement[];
  readonly bridgeTransfers: readonly BridgeTransfer[];
};

const NONE: readonly BridgeTransfer[] = [];

/** What bridges told in one transaction, and its movements with what they burnt handed to them first. */
export const findBridgeTransfers = (
  calls: readonly BridgeCall[],
  { chain, txIndex, movements }: { chain: string; txIndex: number; movements: readonly Movement[] },
): BridgeFindings => {
  if (calls.length === 0) return { movements, bridgeTransfers: NONE };
  const bridgeTransfers: BridgeTransfer[] = [];
  let rows = movements;
  for (const call of calls) {
    const reading = readCctpCall(call, { chain, movements });
    if (reading === null) continue;
    bridgeTransfers.push({ txIndex, index: bridgeTransfers.length, ...reading });
    if (reading.side === 'deposit') rows = handOverBurnt(rows, reading, call.program);
  }
  return { movements: rows.map((row, index) => ({ ...row, index })), bridgeTransfers };
};
