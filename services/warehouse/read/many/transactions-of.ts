import type { Many } from '../../../investigate/model/many-reader.ts';
import type { TransactionRead, TransactionRequest } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { readTransactions } from '../transactions/transaction-rows.ts';
import { answerGroups } from './group-requests.ts';

/** One query for all transactions of a chain. */
export const readTransactionsOf = (
  client: WarehouseClient,
  requests: Many<TransactionRequest>,
  limits: ReadLimits,
): Promise<readonly (TransactionRead | null)[]> =>
  answerGroups(
    requests,
    ({ chain, limit, canonicalAssets }) => [chain, limit, canonicalAssets],
    async (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const { signature: _, ...rest } = first;
      const signatures = group.map(({ signature }) => signature);
      const read = await readTransactions(client, { ...rest, ...limits, signatures });
      return signatures.map((signature) => read.get(signature) ?? null);
    },
  );
