import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type HeldLabels, NOTHING_HELD } from '../labels/held-labels.ts';
import { readIndexedHead } from './blocks/indexed-head.ts';
import { readImitated } from './cases/imitated.ts';
import { readNeighbours } from './counterparties/neighbours.ts';
import { createTransferReader } from './create-transfer-reader.ts';
import { readEntries } from './profiles/entries.ts';
import { readFirstFunding } from './profiles/first-funding.ts';
import { readFirstSeen } from './profiles/first-seen.ts';
import { readFlowsAround } from './profiles/flows-around.ts';
import { readLabelsSaid } from './profiles/labels-said.ts';
import { readSummary } from './profiles/summary.ts';
import { readTransactionCount } from './profiles/transaction-count.ts';
import { readServices } from './services/services.ts';

/**
 * The profile reader over the tables. `client` needs only the right to read them. Labels that are `held` are
 * not queried.
 */
export const createProfileReader = (
  client: WarehouseClient,
  clock: Clock = systemClock,
  held: HeldLabels = NOTHING_HELD,
): ProfileReader => {
  const { transactionHashes, labels, contiguousRange, wholeTransactions } = createTransferReader(
    client,
    clock,
    held,
  );
  return {
    transactionHashes,
    labels,
    contiguousRange,
    wholeTransactions,
    services: (...asked) => readServices(client, held, ...asked),
    imitated: (...asked) => readImitated(client, ...asked),
    neighbours: (...asked) => readNeighbours(client, ...asked),
    transactionCount: (request) => readTransactionCount(client, request),
    summary: (request) => readSummary(client, request),
    entries: (request) => readEntries(client, request),
    firstFunding: (request) => readFirstFunding(client, request),
    flowsAround: (request) => readFlowsAround(client, request),
    firstSeen: (request) => readFirstSeen(client, request),
    labelsSaid: (request) => readLabelsSaid(client, request),
    indexedHead: async (request) => (await readIndexedHead(client, request))?.number ?? null,
  };
};
