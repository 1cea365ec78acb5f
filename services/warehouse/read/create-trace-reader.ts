import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type HeldLabels, NOTHING_HELD } from '../labels/held-labels.ts';
import { readHasGaps } from './blocks/has-gaps.ts';
import { createIndexedSpan } from './blocks/indexed-span.ts';
import { readCounterpartyCounts } from './counterparties/counterparty-counts.ts';
import { readNeighbours } from './counterparties/neighbours.ts';
import { readPartlyRead } from './counterparties/partly-read.ts';
import { readTransfersBetween } from './counterparties/transfers-between.ts';
import { createTransferReader } from './create-transfer-reader.ts';
import { readServiceTransfers } from './services/service-transfers.ts';
import { readServiceWallets } from './services/service-wallets.ts';
import { readServices } from './services/services.ts';
import { readTransactionRows, readTransactions } from './transactions/transaction-rows.ts';
import { readWalletTransfers } from './wallets/wallet-transfers.ts';

/**
 * The trace reader over the tables. `client` needs only the right to read them. Labels and services that are
 * `held` are not queried.
 */
export const createTraceReader = (
  client: WarehouseClient,
  clock: Clock = systemClock,
  held: HeldLabels = NOTHING_HELD,
): TraceReader => {
  const { transactionHashes, labels } = createTransferReader(client, clock, held);
  return {
    transactionHashes,
    labels,
    transaction: (...asked) => readTransactions(client, ...asked),
    transactionRows: (...asked) => readTransactionRows(client, ...asked),
    services: (...asked) => readServices(client, held, ...asked),
    serviceWallets: (...asked) => readServiceWallets(client, held, ...asked),
    serviceTransfers: (...asked) => readServiceTransfers(client, ...asked),
    walletTransfers: (...asked) => readWalletTransfers(client, ...asked),
    neighbours: (...asked) => readNeighbours(client, ...asked),
    counterpartyCounts: (...asked) => readCounterpartyCounts(client, ...asked),
    partlyRead: (...asked) => readPartlyRead(client, ...asked),
    transfersBetween: (...asked) => readTransfersBetween(client, ...asked),
    indexedSpan: createIndexedSpan(client, clock),
    hasGaps: (...asked) => readHasGaps(client, ...asked),
  };
};
