import type { ManyReader } from '../../investigate/model/many-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import type { HeldLabels } from '../labels/held-labels.ts';
import { createTraceReader } from './create-trace-reader.ts';
import { readNeighboursOf } from './many/neighbours-of.ts';
import { readServiceTransfersOf } from './many/service-transfers-of.ts';
import { readTransactionsOf } from './many/transactions-of.ts';
import { readWalletTransfersOf } from './many/wallet-transfers-of.ts';

/** The trace reader over the tables, for many traces at once. */
export const createManyReader = (client: WarehouseClient, clock?: Clock, held?: HeldLabels): ManyReader => ({
  ...createTraceReader(client, clock, held),
  transactionsOf: (requests, limits) => readTransactionsOf(client, requests, limits),
  serviceTransfersOf: (requests, limits) => readServiceTransfersOf(client, requests, limits),
  walletTransfersOf: (requests, limits) => readWalletTransfersOf(client, requests, limits),
  neighboursOf: (requests, limits) => readNeighboursOf(client, requests, limits),
});
