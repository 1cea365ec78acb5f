import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Log } from '../read-log.ts';
import { acrossEvents } from './across.ts';
import type { BridgeContext, BridgeEvent, BridgeReading } from './bridge-event.ts';
import { cctpEvents, keepIssued } from './cctp.ts';
import { debridgeEvents } from './debridge.ts';
import { stargateEvents } from './stargate.ts';
import { wormholeEvents } from './wormhole.ts';

const EVENTS: ReadonlyMap<string, BridgeEvent> = new Map(
  [...cctpEvents, ...wormholeEvents, ...debridgeEvents, ...acrossEvents, ...stargateEvents].map((event) => [
    event.topic,
    event,
  ]),
);

/** By its shape: the class is only in viem's main module, which is twice as large as what we use. */
const isViemError = (error: unknown): boolean => error instanceof Error && 'shortMessage' in error;

/** Whether a known bridge of the chain logged one of its events. */
export const isBridgeLog = ({ address, topics: [topic = ''] }: Log, chain: string): boolean =>
  EVENTS.get(topic)?.contracts[chain]?.includes(address) ?? false;

export type BridgeFindings = {
  readonly transfers: readonly BridgeTransfer[];
  readonly malformed: number;
};

/** The bridge transfers of one transaction; `logs` are those of bridges, `movements` all of its rows. */
export const decodeBridgeLogs = (
  logs: readonly Log[],
  { txIndex, ...context }: Omit<BridgeContext, 'isOnly'> & { readonly txIndex: number },
): BridgeFindings => {
  const readings: BridgeReading[] = [];
  let malformed = 0;
  const counts = new Map<string | undefined, number>();
  for (const { topics } of logs) counts.set(topics[0], (counts.get(topics[0]) ?? 0) + 1);
  for (const log of logs) {
    const isOnly = counts.get(log.topics[0]) === 1;
    try {
      const reading = EVENTS.get(log.topics[0] ?? '')?.read(log, { ...context, isOnly });
      if (reading) readings.push(reading);
    } catch (error) {
      if (!isViemError(error)) throw error;
      malformed++;
    }
  }
  const transfers = keepIssued(readings, context.movements).map((reading, index) => ({
    txIndex,
    index,
    ...reading,
  }));
  return { transfers, malformed };
};
