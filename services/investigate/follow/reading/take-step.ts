import type { Address } from '../../model/address.ts';
import type { FlowPage } from '../../model/transfer-reader.ts';
import { decideHop, type Ended, type Outcome } from '../decide-hop.ts';
import { endUnread, type UnreadPlace } from '../end-unread.ts';
import type { FollowContext, Stand } from '../follow-context.ts';
import type { FoundHop } from '../trail.ts';
import { type CheckSwaps, readSwappers, type Swapped } from './check-swaps.ts';
import { passQuickly, type Unclear } from './pass-quickly.ts';

type Taking = Pick<UnreadPlace, 'isRetry'> & {
  /** null: every wallet is read with its swaps. */
  readonly check: CheckSwaps | null;
  readonly steps: readonly Outcome[];
  readonly hops: readonly FoundHop[];
  readonly visited: ReadonlySet<Address>;
  /** Whether the trail ends with the hop that led here. */
  readonly arriving: Promise<Ended | null>;
};

/** One wallet, quickly where that will do, with what to say when it cannot be read. */
export const takeStep = async (
  context: FollowContext,
  stand: Stand,
  { steps, hops, visited, check, isRetry, arriving }: Taking,
): Promise<Outcome | Swapped> => {
  const isFirst = steps.length === 0;
  try {
    if (check === null) return await decideHop(context, stand, { visited });
    const passage = await passQuickly(context, stand);
    if (passage.type === 'hop') return passage;
    // What follows reads busy wallets: services, and pools that a swap was paid to. They must be on the trail.
    const end = await arriving;
    if (end !== null) return end;
    if (passage.transfers?.page.rows.length === 0) context.details.begin(hops);
    const [swapped, firstPage] = await Promise.all([
      check(steps, context.read),
      firstPageOf(context, passage),
    ]);
    return swapped ?? (await decideHop(context, stand, { firstPage, visited }));
  } catch (error) {
    return endUnread({ wallet: stand.wallet, isFirst, isRetry }, error);
  }
};

/** Of transfers, where no swap stands among them; else null. */
const firstPageOf = async (context: FollowContext, { transfers }: Unclear): Promise<FlowPage | null> => {
  if (transfers === null) return null;
  const { page, whole } = transfers;
  const mayHaveSwapped = await readSwappers(context, [whole], context.read);
  return mayHaveSwapped(whole.wallet) ? null : page;
};
