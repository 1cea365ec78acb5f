import type { Asset } from '../../model/asset.ts';
import { receiptIssuer } from '../../model/receipt-tokens.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { type FollowContext, readLabels } from '../follow-context.ts';

/** Who pays a receipt back, by the list or by the label of its contract; null where neither names him. */
export const nameIssuer = async (context: FollowContext, receipt: Asset): Promise<string | null> => {
  const listed = receiptIssuer(context.request.chain, receipt);
  if (listed !== null) return listed;
  const labels = await unlessLeftOut(readLabels(context, [receipt]), null);
  return labels?.get(receipt)?.name ?? null;
};
