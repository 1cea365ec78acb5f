import type { Address } from '../../model/address.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { NOTHING_KNOWN } from '../fates/fate.ts';
import { readFates } from '../fates/read-fates.ts';
import type { FollowContext } from '../follow-context.ts';
import type { FollowReads } from '../follow-reader.ts';
import { isOnlyThrough, type Reached } from './expand-flow.ts';
import type { FlowEnd, FlowGraph, Resting } from './flow-graph.ts';

type Told = Pick<FlowGraph, 'ends' | 'rests' | 'areFatesRead'>;
type Drawn = { readonly ends: readonly FlowEnd[]; readonly rests: readonly Resting[] };

/**
 * Adds what became of the money where it rests. What a contract holds for many is not looked at: what it burns is anybody's. Where
 * it cannot be read in time, all of it counts as at rest, and the answer says so.
 */
export const tellFates = async (
  context: FollowContext,
  { ends, rests }: Drawn,
  wallets: ReadonlyMap<Address, Reached>,
  reads: FollowReads,
): Promise<Told> => {
  const asked = rests.flatMap(({ address: wallet, amountRaw: restRaw }) => {
    const reached = wallets.get(wallet);
    if (reached === undefined || reached.isPool || isOnlyThrough(reached)) return [];
    return [{ wallet, restRaw, sinceUnixSeconds: sinceOf(reached) }];
  });
  const fates = await unlessLeftOut(readFates(context, asked, reads), null);
  const byWallet = new Map(asked.map(({ wallet }, at) => [wallet, fates?.[at] ?? NOTHING_KNOWN]));
  const fateOf = (address: Address) => byWallet.get(address) ?? NOTHING_KNOWN;
  return {
    ends: ends.map((end) => (end.reason === 'at_rest' ? { ...end, fate: fateOf(end.address) } : end)),
    rests: rests.map((rest) => ({ ...rest, fate: fateOf(rest.address) })),
    areFatesRead: fates !== null,
  };
};

/** When the money first came. */
const sinceOf = ({ start, brought }: Reached): number => {
  const lots = [...(start?.stake.lots ?? []), ...[...brought.values()].flat()];
  const first = lots.reduce((least, { blockTime }) => Math.min(least, blockTime), Number.POSITIVE_INFINITY);
  return Number.isFinite(first) ? first : (start?.context.request.atUnixSeconds ?? 0);
};
