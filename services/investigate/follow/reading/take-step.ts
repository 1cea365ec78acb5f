import type { Address } from '../../model/address.ts';
import { isUnverifiedToken } from '../../model/asset.ts';
import type { FlowPage, WalletSpan } from '../../model/transfer-reader.ts';
import { decideHop, type Ended, type Outcome } from '../decide-hop.ts';
import { endUnread, type UnreadPlace } from '../end-unread.ts';
import type { FollowContext, Stand } from '../follow-context.ts';
import { type BudgetedRead, unlessUnread } from '../follow-reader.ts';
import type { FoundHop } from '../trail.ts';
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

/** What was taken to have been passed on was swapped, or may have been: only these steps stand. */
export type Swapped = { readonly type: 'swapped'; readonly known: readonly Outcome[] };

/** Whether a wallet of these steps swapped when it was not asked for swaps; null: none did. One read for all that are new. */
export type CheckSwaps = (steps: readonly Outcome[], read: BudgetedRead) => Promise<Swapped | null>;

export const createCheckSwaps = (context: FollowContext): CheckSwaps => {
  const checked = new Set<WalletSpan>();
  return async (steps, read) => {
    const fresh = steps.flatMap(unaskedOf).filter((span) => !checked.has(span));
    if (fresh.length === 0) return null;
    const mayHaveSwapped = await readSwappers(context, fresh, read);
    const swapped = new Set(fresh.filter(({ wallet }) => mayHaveSwapped(wallet)));
    const first = steps.findIndex((step) => unaskedOf(step).some((span) => swapped.has(span)));
    if (first !== -1) return { type: 'swapped', known: steps.slice(0, first) };
    for (const span of fresh) checked.add(span);
    return null;
  };
};

const unaskedOf = (step: Outcome): readonly WalletSpan[] =>
  step.type === 'hop' ? step.swapsUncheckedFor : [];

/** Where the read fails, whoever is asked about may have swapped. */
export const readSwappers = async (
  { request: { chain }, asset: { canonicalAsset } }: FollowContext,
  spans: readonly WalletSpan[],
  read: BudgetedRead,
): Promise<(wallet: Address) => boolean> => {
  const asked = {
    chain: chain.name,
    canonicalAsset,
    ownOnly: isUnverifiedToken(chain, canonicalAsset),
    spans,
  };
  const reading = read((reader, limits) => reader.swappers({ ...asked, ...limits }));
  const swappers = await unlessUnread(reading, null);
  return (wallet) => swappers?.has(wallet) ?? true;
};
