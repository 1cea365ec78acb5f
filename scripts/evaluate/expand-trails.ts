import { follow } from '../../services/investigate/follow/follow.ts';
import { HOPS_DEFAULT } from '../../services/investigate/follow/rules.ts';
import {
  type Branch,
  branchesOf,
  type FollowRequest,
  type Trail,
} from '../../services/investigate/follow/trail.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import type { TransferReader } from '../../services/investigate/model/transfer-reader.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { createMemoryAssetReader } from '../../services/testing/memory/memory-asset-reader.ts';
import { createMemoryPriceReader } from '../../services/testing/memory/memory-price-reader.ts';
import type { FollowCase } from './follow-case.ts';

/** A payment that an answer of /follow named. */
export type Lead = { readonly from: Address; readonly to: Address; readonly amountRaw: bigint };
export type Found = { readonly leads: readonly Lead[]; readonly calls: number };

/** An open question: money that reached an address at a time. */
type Open = {
  readonly address: Address;
  /** The payer; null at the start. */
  readonly payer: Address | null;
  readonly sinceUnixSeconds: number;
  readonly amountRaw: bigint;
};
type Expanding = { readonly reader: TransferReader; readonly callsMax: number };

const signal = new AbortController().signal;

/**
 * Follows a theft with nothing but answers: branches and other outflows are asked for in calls of their own,
 * largest first, until nothing is open or the calls are used up.
 */
export const expandTrails = async (
  { chain, starts }: FollowCase,
  { reader, callsMax }: Expanding,
): Promise<Found> => {
  const open: Open[] = starts.map((start) => ({ ...start, payer: null }));
  const known = new Set<Address>();
  const leads: Lead[] = [];
  let calls = 0;
  while (calls < callsMax) {
    const next = takeLargest(open);
    if (next === null) break;
    if (known.has(next.address)) continue;
    const request: FollowRequest = {
      chain,
      start: next.address,
      canonicalAsset: NATIVE,
      atUnixSeconds: next.sinceUnixSeconds,
      amount: toWholeUnits(next.amountRaw, chain.native.decimals),
      tracedRaw: null,
      counterparty: next.payer,
      backward: false,
      maxHops: HOPS_DEFAULT,
    };
    calls += 1;
    const trail = await follow(request, {
      reader,
      prices,
      assets,
      backfills: NO_BACKFILLS,
      clock: systemClock,
      signal,
    });
    const own = untilJoined(trail, known);
    for (const { from, to } of own.hops) known.add(from).add(to);
    known.add(next.address);
    leads.push(...leadsOf(own));
    open.push(
      ...besideTrail(own).map(({ from, to, ...branch }) => ({ ...branch, payer: from, address: to })),
    );
  }
  return { leads, calls };
};

const prices = createMemoryPriceReader();
const assets = createMemoryAssetReader();

const takeLargest = (open: Open[]): Open | null => {
  open.sort((a, b) => (a.amountRaw < b.amountRaw ? -1 : 1));
  return open.pop() ?? null;
};

/** A trail that runs into a larger one has joined it: what follows is known. */
const untilJoined = (trail: Trail, known: ReadonlySet<Address>): Trail => {
  const at = trail.hops.findIndex(({ to }) => known.has(to));
  if (at < 0) return trail;
  const address = trail.hops[at]?.to ?? '';
  const end = { reason: 'loop', address, why: { type: 'looped' }, caveats: [] } as const;
  return { ...trail, hops: trail.hops.slice(0, at + 1), end };
};

const besideTrail = ({ hops, end }: Trail): readonly Branch[] => [
  ...hops.flatMap(({ others }) => others),
  ...branchesOf(end),
];

/** Every payment that a trail names; through a contract it is two. */
const leadsOf = (trail: Trail): Lead[] => [
  ...trail.hops.flatMap(({ from, through, to, amountRaw }) => {
    const wallets = [from, ...through.map(({ address }) => address), to];
    return wallets.slice(1).map((wallet, at) => ({ from: wallets[at] ?? from, to: wallet, amountRaw }));
  }),
  ...besideTrail(trail),
];
