import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Movement } from '../../../investigate/model/movement.ts';
import type { BridgeCall, BridgeContext, BridgeReading } from './bridge-call.ts';
import { handOver } from './hand-over.ts';
import { readCctpCalls } from './read-cctp-calls.ts';
import { readDebridgeFulfilment, readDebridgeOrders } from './read-debridge.ts';
import { type ProgramRun, readProgramLogs } from './read-program-logs.ts';
import { readWormholeDeposits, readWormholeRedemptions } from './read-wormhole.ts';

export type BridgeFindings = {
  readonly movements: readonly Movement[];
  readonly bridgeTransfers: readonly BridgeTransfer[];
  readonly problem: { readonly code: string; readonly message: string } | null;
};

type BridgeTransaction = Pick<BridgeContext, 'chain' | 'movements'> & {
  readonly txIndex: number;
  /** Whether rows should show that the bridge received what it took. */
  readonly handsOver: boolean;
  /** The log; absent if the node kept none. */
  readonly lines: readonly string[] | null | undefined;
};

const NONE: readonly BridgeTransfer[] = [];

/**
 * The bridge transfers of one transaction and its movements, optionally with the hand-over to the bridge first. A
 * bridge event in an unknown form is a problem, and the movements stay as they are.
 */
export const findBridgeTransfers = (
  calls: readonly BridgeCall[],
  { chain, txIndex, movements, handsOver, lines }: BridgeTransaction,
): BridgeFindings => {
  if (calls.length === 0) return { movements, bridgeTransfers: NONE, problem: null };
  try {
    const { logs, runs } = readProgramLogs(lines ?? []);
    const byProgram = Map.groupBy(calls, ({ program }) => program);
    const callOf = ({ program, position }: ProgramRun): BridgeCall | null => {
      const own = byProgram.get(program);
      return (own?.length === runs.get(program) && own?.[position]) || null;
    };
    const readings = readCalls(calls, { chain, movements, logs, callOf });
    const deposits = readings.filter(({ transfer }) => handsOver && transfer.side === 'deposit');
    const handedOver = handOver(movements, deposits);
    return {
      movements: handedOver.map((row, index) => ({ ...row, index })),
      bridgeTransfers: readings.map(({ transfer }, index) => ({ txIndex, index, ...transfer })),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const problem = { code: 'bridge_call_malformed', message: error.message };
    return { movements, bridgeTransfers: NONE, problem };
  }
};

const readCalls = (calls: readonly BridgeCall[], context: BridgeContext): BridgeReading[] => [
  ...readCctpCalls(calls, context),
  ...calls.flatMap((call) => readDebridgeFulfilment(call, context)),
  ...readDebridgeOrders(context),
  ...readWormholeDeposits(calls, context),
  ...readWormholeRedemptions(calls, context),
];
