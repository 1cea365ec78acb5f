import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type HeldLabels, NOTHING_HELD } from '../labels/held-labels.ts';
import { readBalance } from './balance.ts';
import { readBridgeMessages, readBridgeTransfers } from './bridge-transfers.ts';
import { readBurnt } from './burnt.ts';
import { readFamiliesReceived, readFamiliesSent } from './families-sent.ts';
import { readFarArrivals } from './far-arrivals.ts';
import { readArrivals, readDepartures } from './flows.ts';
import { readIsKnown } from './is-known.ts';
import { readLabels } from './labels.ts';
import { readSwappers } from './swappers.ts';
import { readTransactionHashes } from './transaction-hashes.ts';
import { readTransactionRows, readWholeTransactions } from './transaction-rows.ts';
import { createUnbrokenSpan } from './unbroken-span.ts';

/**
 * The transfer reader over the tables; `client` needs no right but to read them. They are asked only for labels that are not
 * `held`.
 */
export const createTransferReader = (
  client: WarehouseClient,
  clock: Clock = systemClock,
  held: HeldLabels = NOTHING_HELD,
): TransferReader => ({
  departures: (request) => readDepartures(client, request),
  arrivals: (request) => readArrivals(client, request),
  swappers: (request) => readSwappers(client, request),
  farArrivals: (request) => readFarArrivals(client, request),
  bridgeTransfers: (request) => readBridgeTransfers(client, request),
  bridgeMessages: (request) => readBridgeMessages(client, request),
  familiesSent: (request) => readFamiliesSent(client, request),
  familiesReceived: (request) => readFamiliesReceived(client, request),
  balance: (request) => readBalance(client, request),
  burnt: (request) => readBurnt(client, request),
  transactionRows: (request) => readTransactionRows(client, request),
  wholeTransactions: (request) => readWholeTransactions(client, request),
  transactionHashes: (request) => readTransactionHashes(client, request),
  unbrokenSpan: createUnbrokenSpan(client, clock),
  isKnown: (request) => readIsKnown(client, request),
  labels: (request) =>
    readLabels(client, held, { ...request, atUnixSeconds: Math.floor(clock.nowUnixMs() / 1_000) }),
});
