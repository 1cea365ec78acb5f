import type { Address } from '../model/address.ts';
import { most, sumOf, tidyShare } from '../model/amount.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import { describeSeenIn } from '../model/history-coverage.ts';
import type { Holders, Trade } from '../model/token-reader.ts';
import { type ContiguousRange, transactionKey } from '../model/transfer-reader.ts';
import type { Values } from '../model/value-amounts.ts';
import { describeAirdrop, explainNone } from './explain-none.ts';
import { groupByFunder, type Tie } from './find-ties.ts';
import type { Candidates } from './gather-candidates.ts';
import {
  INSIDER_KINDS,
  type Insider,
  type InsiderKind,
  type InsidersReport,
  type InsidersRequest,
} from './insiders-report.ts';
import type { Funding } from './read-funding.ts';
import type { ReadLaunch } from './read-launch.ts';
import { KIND_CONFIDENCE, UNSURE_FUNDER } from './rules.ts';

type ReportInput = {
  readonly request: InsidersRequest;
  readonly launch: ReadLaunch;
  /** Sentences. */
  readonly gaps: readonly string[];
  readonly holders: Holders | null;
  readonly candidates: Candidates;
  readonly funding: Funding;
  readonly ties: readonly Tie[];
  readonly trades: readonly Trade[];
  readonly balances: ReadonlyMap<Address, bigint>;
  /** By `transactionKey`. */
  readonly hashes: ReadonlyMap<string, string>;
  readonly values: Values;
  readonly span: ContiguousRange | null;
};

const UNKNOWN = {
  ...{ shareBought: null, shareHeld: null, boughtUsd: null, soldUsd: null, profitUsd: null },
  earlyBuyers: null,
};

/** The report for a token that no data names. */
export const emptyReport = (
  request: InsidersRequest,
  span: ContiguousRange | null,
  gaps: readonly string[],
): InsidersReport => ({
  request,
  span,
  symbol: null,
  decimals: null,
  supplyRaw: null,
  holders: null,
  creator: null,
  launch: null,
  insiders: [],
  groups: [],
  totals: { ...UNKNOWN, insiders: 0, unpriced: 0 },
  gaps,
  airdrop: null,
  scope: 'no_data',
  whyNone: 'No settled block names the token.',
});

/**
 * The report for a token of which some blocks since its creation are not indexed: launch, holders and early
 * buyers are unknown. The creator is known if its creation is indexed.
 */
export const reportCreator = (
  request: InsidersRequest,
  span: ContiguousRange | null,
  creation: PlacedControlEvent | null,
): InsidersReport => {
  const gaps = [describeSeenIn(span)];
  const creator = creation?.holder ?? null;
  const whyNone =
    'Not all blocks since the token was created are indexed, so its launch, its supply and who had it early are not known.';
  if (creation === null || creator === null) return { ...emptyReport(request, span, gaps), whyNone };
  const unknown = { label: null, funder: null, funderLabel: null, fundedUnixSeconds: null };
  return {
    ...emptyReport(request, span, gaps),
    creator: { ...unknown, address: creator },
    whyNone: `It was created in ${creation.signature}. ${whyNone}`,
    scope: 'partial',
  };
};

export const buildReport = (found: ReportInput): InsidersReport => {
  const { request, launch, holders, candidates, funding, ties, values, span } = found;
  const { creator } = candidates;
  const { symbol, decimals } = values.assetOf(request.token);
  const byWallet = Map.groupBy(found.trades, ({ wallet }) => wallet);
  const insiders = [...Map.groupBy(ties, ({ wallet }) => wallet)]
    .map(([address, own]) => toInsider(address, own, byWallet.get(address) ?? [], found))
    .sort((a, b) => b.confidence - a.confidence || compareHeld(a, b) || (a.address < b.address ? -1 : 1));
  const funded = funding.fundings.get(creator) ?? null;
  const creatorFunding = funded !== null && funding.isFirst(funded) ? funded : null;
  const labelOf = (address: Address | null) =>
    address === null ? null : (funding.labels.get(address) ?? null);
  const sumUsd = (of: (insider: Insider) => number | null): number | null => sumKnown(insiders.map(of));
  return {
    request,
    symbol,
    decimals,
    span,
    insiders,
    supplyRaw: holders?.supplyRaw ?? null,
    holders: holders?.holders ?? null,
    creator: {
      address: creator,
      label: labelOf(creator),
      funder: creatorFunding?.funder ?? null,
      funderLabel: labelOf(creatorFunding?.funder ?? null),
      fundedUnixSeconds: creatorFunding?.blockTime ?? null,
    },
    launch: {
      signature: launch.at.hash,
      blockNumber: launch.at.blockNumber,
      timeUnixSeconds: launch.at.blockTime,
      venue: launch.venue,
      venueLabel: labelOf(launch.venue),
      venueKind: launch.venue === null ? null : launch.isIssuedToVenue ? 'launchpad' : 'pool',
    },
    groups: toGroups(insiders, found),
    totals: {
      insiders: insiders.length,
      shareBought: sumShares(insiders.map(({ shareBought }) => shareBought)),
      shareHeld: sumShares(insiders.map(({ shareHeld }) => shareHeld)),
      boughtUsd: sumUsd(({ boughtUsd }) => boughtUsd),
      soldUsd: sumUsd(({ soldUsd }) => soldUsd),
      profitUsd: sumUsd(({ profitUsd }) => profitUsd),
      unpriced: insiders.filter(({ profitUsd }) => profitUsd === null).length,
      earlyBuyers: candidates.earlyBuyers,
    },
    whyNone: explainNone(insiders, candidates, launch, request),
    gaps: found.gaps,
    airdrop: describeAirdrop(candidates),
    scope: found.gaps.length > 0 ? 'partial' : 'full',
  };
};

const compareHeld = (a: Insider, b: Insider): number =>
  a.heldRaw === b.heldRaw ? 0 : a.heldRaw > b.heldRaw ? -1 : 1;

const toInsider = (
  address: Address,
  own: readonly Tie[],
  mine: readonly Trade[],
  found: ReportInput,
): Insider => {
  const { holders, candidates, balances, hashes, values, funding } = found;
  const kinds = INSIDER_KINDS.filter(
    (kind) =>
      own.some((tie) => tie.kind === kind) || (kind === 'top_holder' && candidates.holders.includes(address)),
  );
  const bought = mine.filter(({ isBuy }) => isBuy);
  const usdOf = (of: readonly Trade[]): number | null => sumAll(of.map((trade) => worthOf(trade, values)));
  const [boughtUsd, soldUsd] = [usdOf(bought), usdOf(mine.filter(({ isBuy }) => !isBuy))];
  const boughtRaw = sumOf(bought.map(({ tokenRaw }) => ({ amountRaw: tokenRaw })));
  const heldRaw = most(balances.get(address) ?? 0n, 0n);
  return {
    address,
    kinds,
    boughtRaw,
    heldRaw,
    boughtUsd,
    soldUsd,
    label: funding.labels.get(address) ?? null,
    links: own.map(({ kind, with: other, detail, positions }) => ({
      kind,
      with: other,
      detail,
      signatures: positions.flatMap((at) => hashes.get(transactionKey(at)) ?? []),
    })),
    // The evidence kinds are independent, so several together make an error unlikely.
    confidence: 1 - kinds.reduce((wrong, kind) => wrong * (1 - surenessOf(kind, funding)), 1),
    shareBought: holders && shareOf(boughtRaw, holders.supplyRaw),
    shareHeld: holders && shareOf(heldRaw, holders.supplyRaw),
    profitUsd: boughtUsd === null || soldUsd === null ? null : soldUsd - boughtUsd,
    firstBuyUnixSeconds:
      bought[0]?.blockTime ?? candidates.buys.find(({ buyer }) => buyer === address)?.at.blockTime ?? null,
  };
};

/** Ties that rest on who sent a wallet its first coin, and on how many wallets that party funded in all. */
const BY_FUNDER: readonly InsiderKind[] = ['funded_creator', 'shared_funder'];

const surenessOf = (kind: InsiderKind, { isAllRead }: Funding): number =>
  KIND_CONFIDENCE[kind] * (isAllRead || !BY_FUNDER.includes(kind) ? 1 : UNSURE_FUNDER);

const worthOf = ({ otherAsset, otherRaw, blockTime }: Trade, values: Values): number | null =>
  values.usdOf({ canonicalAsset: otherAsset, amountRaw: otherRaw, blockTime });

const sumShares = (shares: readonly (number | null)[]): number | null => {
  const sum = sumAll(shares);
  return sum && tidyShare(sum);
};

/** null when one of them is unknown: a partial sum would look like the whole. */
const sumAll = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (part === null || sum === null ? null : sum + part), 0);

/** The sum of the known ones; null when there are some and none is known. */
const sumKnown = (usds: readonly (number | null)[]): number | null => {
  const known = usds.filter((usd) => usd !== null);
  return known.length === 0 && usds.length > 0 ? null : sumAll(known);
};

const shareOf = (raw: bigint, supplyRaw: bigint): number =>
  supplyRaw === 0n ? 0 : tidyShare(Number(raw) / Number(supplyRaw));

/** The wallets that one funder funded, the creator's own among them. */
const toGroups = (insiders: readonly Insider[], { candidates, funding }: ReportInput) => {
  const { creator } = candidates;
  const byCreator = insiders.filter(({ kinds }) => kinds.includes('creator_funded'));
  const groups = [...groupByFunder(candidates, funding)].map(([funder, members]) => ({
    funder,
    own: insiders.filter(({ address }) => members.includes(address)),
  }));
  return [...(byCreator.length > 0 ? [{ funder: creator, own: byCreator }] : []), ...groups]
    .filter(({ own }) => own.length > 0)
    .map(({ funder, own }) => ({
      funder,
      label: funding.labels.get(funder) ?? null,
      members: own.map(({ address }) => address),
      shareBought: sumShares(own.map(({ shareBought }) => shareBought)),
      shareHeld: sumShares(own.map(({ shareHeld }) => shareHeld)),
    }));
};
