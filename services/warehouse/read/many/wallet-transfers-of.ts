import type { Many } from '../../../investigate/model/many-reader.ts';
import type { WalletTransfer, WalletTransfersRequest } from '../../../investigate/model/trace-reader.ts';
import type { ReadLimits } from '../../../investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../../platform/warehouse-engine/warehouse.ts';
import { readWalletTransfers } from '../wallets/wallet-transfers.ts';
import { answerGroups } from './group-requests.ts';

type Request = Many<WalletTransfersRequest>[number];

/**
 * Rows between the ends of requests are read for all of them. When there are more, each request is a query of
 * its own.
 */
const BETWEEN_MAX = 100_000;

/**
 * The latest transfers of a wallet up to each of many times: those of the earliest time, and everything
 * between it and the latest. Two queries for all requests with the same wallet, direction, asset and start.
 */
export const readWalletTransfersOf = (
  client: WarehouseClient,
  requests: Many<WalletTransfersRequest>,
  limits: ReadLimits,
): Promise<readonly (readonly WalletTransfer[])[]> => {
  const ask = (request: Request) => readWalletTransfers(client, { ...request, ...limits });
  return answerGroups(
    requests,
    ({ chain, wallet, direction, canonicalAsset, fromUnixSeconds, limit }) => [
      ...[chain, wallet, direction, canonicalAsset, fromUnixSeconds, limit],
    ],
    async (group) => {
      const [first] = group;
      if (first === undefined) return [];
      const ends = group.map(({ toUnixSeconds }) => toUnixSeconds);
      const earliest = ends.reduce((a, b) => Math.min(a, b));
      const latest = ends.reduce((a, b) => Math.max(a, b));
      const [before, between] = await Promise.all([
        ask({ ...first, toUnixSeconds: earliest }),
        latest === earliest
          ? []
          : ask({
              ...first,
              fromUnixSeconds: Math.max(earliest + 1, first.fromUnixSeconds),
              toUnixSeconds: latest,
              limit: BETWEEN_MAX,
            }),
      ]);
      if (between.length >= BETWEEN_MAX) return Promise.all(group.map(ask));
      const known = [...between, ...before];
      return group.map(({ toUnixSeconds, limit }) => {
        const from = known.findIndex(({ blockTime }) => blockTime <= toUnixSeconds);
        return from === -1 ? [] : known.slice(from, from + limit);
      });
    },
  );
};
