import { NATIVE } from '../model/movement.ts';
import type { RowPosition } from '../model/transfer-reader.ts';
import { chooseMainAsset } from './choose-main-asset.ts';
import { toAsset } from './follow-context.ts';
import type { BudgetedRead } from './follow-reader.ts';
import type { FollowedAsset, FollowRequest } from './trail.ts';

/** The last second that tables can hold, and positions behind every transaction of it. */
export const END_OF_TIME: RowPosition = {
  blockTime: 4_294_967_295,
  blockNumber: Number.MAX_SAFE_INTEGER,
  txIndex: 2_147_483_647,
  step: 0,
};

/** Before everything that happened at the time asked about; backward, behind it. */
export const startPosition = ({ atUnixSeconds, backward }: FollowRequest): RowPosition =>
  backward
    ? { ...END_OF_TIME, blockTime: atUnixSeconds ?? END_OF_TIME.blockTime }
    : { blockTime: atUnixSeconds ?? 0, blockNumber: 0, txIndex: 0, step: 0 };

export const findAsset = async (request: FollowRequest, read: BudgetedRead): Promise<FollowedAsset> => {
  const { chain, canonicalAsset } = request;
  return toAsset(chain, canonicalAsset ?? (await chooseAsset(request, read)), read);
};

const chooseAsset = async (request: FollowRequest, read: BudgetedRead): Promise<string> => {
  const { chain, start: wallet, atUnixSeconds, backward } = request;
  const asked = { chain: chain.name, wallet };
  const moved = await read((reader, limits) =>
    backward
      ? reader.assetsReceived({
          ...asked,
          untilUnixSeconds: atUnixSeconds ?? END_OF_TIME.blockTime,
          ...limits,
        })
      : reader.assetsSent({ ...asked, sinceUnixSeconds: atUnixSeconds ?? 0, ...limits }),
  );
  const chosen = await chooseMainAsset(request, moved, (moments) =>
    read((_, limits, { prices }) => prices.prices({ chain, moments, ...limits })),
  );
  return chosen ?? NATIVE;
};
