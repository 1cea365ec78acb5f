import type { TransferReader } from '../../investigate/model/transfer-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type HeldLabels, NOTHING_HELD } from '../labels/held-labels.ts';
import { createContiguousRange } from './blocks/contiguous-range.ts';
import { readLabels } from './services/labels.ts';
import { readBridgeMessages, readBridgeTransfers } from './transactions/bridge-transfers.ts';
import { readTransactionHashes } from './transactions/transaction-hashes.ts';
import { readWholeTransactions } from './transactions/transaction-rows.ts';
import { readAssetsReceived, readAssetsSent } from './wallets/assets-moved.ts';
import { readBalances } from './wallets/balance.ts';
import { readFarArrivals } from './wallets/far-arrivals.ts';
import { readFlows } from './wallets/flows-together.ts';
import { readIsKnown } from './wallets/is-known.ts';
import { readLost } from './wallets/lost.ts';
import { readPools } from './wallets/pools.ts';
import { readSwappers } from './wallets/swappers.ts';

/**
 * The transfer reader over the tables. `client` needs only the right to read them. Labels that are `held` are
 * not queried.
 */
export const createTransferReader = (
  client: WarehouseClient,
  clock: Clock = systemClock,
  held: HeldLabels = NOTHING_HELD,
): TransferReader => ({
  flows: (common, places, limits) => readFlows(client, common, places, limits),
  swappers: (request) => readSwappers(client, request),
  farArrivals: (request) => readFarArrivals(client, request),
  bridgeTransfers: (request) => readBridgeTransfers(client, request),
  bridgeMessages: (request) => readBridgeMessages(client, request),
  assetsSent: (request) => readAssetsSent(client, request),
  assetsReceived: (request) => readAssetsReceived(client, request),
  balance: (...asked) => readBalances(client, ...asked),
  lost: (...asked) => readLost(client, ...asked),
  wholeTransactions: (...asked) => readWholeTransactions(client, ...asked),
  transactionHashes: (...asked) => readTransactionHashes(client, ...asked),
  contiguousRange: createContiguousRange(client, clock),
  pools: (request) => readPools(client, request),
  isKnown: (...asked) => readIsKnown(client, ...asked),
  labels: (common, ...asked) =>
    readLabels(client, held, { ...common, atUnixSeconds: Math.floor(clock.nowUnixMs() / 1_000) }, ...asked),
});
