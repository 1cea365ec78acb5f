import { BaseError } from 'viem';
import type { BridgeTransfer } from '../../../investigate/model/bridge-transfer.ts';
import type { Log } from '../read-log.ts';
import { acrossEvents } from './across.ts';
import type { BridgeContext, BridgeEvent } from './bridge-event.ts';
import { cctpEvents } from './cctp.ts';
import { debridgeEvents } from './debridge.ts';
import { stargateEvents } from './stargate.ts';
import { wormholeEvents } from './wormhole.ts';

const EVENTS: ReadonlyMap<string, BridgeEvent> = new Map(
  [...cctpEvents, ...wormholeEvents, ...debridgeEvents, ...acrossEvents, ...stargateEvents].map((event) => [
    event.topic,
    event,
  ]),
);

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
  const transfers: BridgeTransfer[] = [];
  let malformed = 0;
  for (const log of logs) {
    const isOnly = logs.filter(({ topics }) => topics[0] === log.topics[0]).length === 1;
    try {
      const reading = EVENTS.get(log.topics[0] ?? '')?.read(log, { ...context, isOnly });
      if (reading) transfers.push({ txIndex, index: transfers.length, ...reading });
    } catch (error) {
      if (!(error instanceof BaseError)) throw error;
      malformed++;
    }
  }
  return { transfers, malformed };
};
