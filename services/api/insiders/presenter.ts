import type { Insider, InsidersReport } from '../../investigate/insiders/insiders-report.ts';
import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { Label } from '../../investigate/model/label.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import type { InsidersAnswer } from './answer.ts';

/** The answer of POST /insiders. Only presenters turn amounts into floats. */
export const presentInsiders = (
  report: InsidersReport,
  { arePricesPending }: { readonly arePricesPending: ArePricesPending },
): InsidersAnswer => {
  const { request, launch, creator, decimals, totals, span } = report;
  const { chain } = request;
  const address = (raw: Address): string => presentAddress(chain, raw);
  const orNull = (raw: Address | null): string | null => (raw === null ? null : address(raw));
  const amount = (raw: bigint): number => toWholeUnits(raw, decimals);
  const presentInsider = (insider: Insider) => ({
    address: address(insider.address),
    label: presentLabel(insider.label),
    kinds: [...insider.kinds],
    confidence: insider.confidence,
    share_bought: insider.shareBought,
    share_held: insider.shareHeld,
    bought: amount(insider.boughtRaw),
    bought_raw: String(insider.boughtRaw),
    held: amount(insider.heldRaw),
    held_raw: String(insider.heldRaw),
    bought_usd: insider.boughtUsd,
    sold_usd: insider.soldUsd,
    profit_usd: insider.profitUsd,
    first_buy: insider.firstBuyUnixSeconds,
    links: insider.links.map((link) => ({
      ...{ kind: link.kind, with: orNull(link.with), detail: link.detail, signatures: [...link.signatures] },
    })),
  });
  return {
    chain: chain.name,
    token: {
      address: address(request.token),
      symbol: report.symbol,
      decimals,
      supply: report.supplyRaw === null ? null : amount(report.supplyRaw),
      supply_raw: report.supplyRaw === null ? null : String(report.supplyRaw),
      holders: report.holders,
    },
    creator: creator && {
      address: address(creator.address),
      label: presentLabel(creator.label),
      funder: orNull(creator.funder),
      funder_label: presentLabel(creator.funderLabel),
      funded: creator.fundedUnixSeconds,
    },
    launch: launch && {
      signature: launch.signature,
      block: launch.blockNumber,
      time: launch.timeUnixSeconds,
      venue: orNull(launch.venue),
      venue_label: presentLabel(launch.venueLabel),
      venue_kind: launch.venueKind,
    },
    insiders: report.insiders.map(presentInsider),
    groups: report.groups.map((group) => ({
      funder: address(group.funder),
      funder_label: presentLabel(group.label),
      members: group.members.map(address),
      share_bought: group.shareBought,
      share_held: group.shareHeld,
    })),
    totals: {
      insiders: totals.insiders,
      early_buyers: totals.earlyBuyers,
      share_bought: totals.shareBought,
      share_held: totals.shareHeld,
      bought_usd: totals.boughtUsd,
      sold_usd: totals.soldUsd,
      profit_usd: totals.profitUsd,
      unpriced: totals.unpriced,
    },
    why_none: report.whyNone,
    meta: {
      chain: chain.name,
      scope: report.scope,
      detail: [...report.gaps, ...(report.airdrop === null ? [] : [report.airdrop])].join(' ') || null,
      window: request.windowSeconds,
      data_from: span?.fromUnixSeconds ?? null,
      data_to: span?.toUnixSeconds ?? null,
      ...presentBasis(chain, arePricesPending),
    },
  };
};

const presentLabel = (label: Label | null) => label && { name: label.name, kind: label.kind };
