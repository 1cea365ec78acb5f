import { type Address, presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import type { Label } from '../../investigate/model/label.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { ShownAsset } from '../../investigate/model/value-amounts.ts';
import type { Loss, NoVictim, Victim, VictimsReport } from '../../investigate/victims/victims-report.ts';
import { BEING_READ } from '../asking/being-read.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import type { VictimsAnswer } from './answer.ts';

const REASONS: Readonly<Record<NoVictim, string>> = {
  service: 'It is a service, or it sent many wallets their first coin.',
  own_wallet: 'It belongs to the address: the address funded it first, or a label says so.',
  partner: 'It gets a share of what others lost to the address.',
  was_paid: 'The address paid it as much, before or after.',
  exchanged: 'It got something for its payment in the same transaction.',
  contract: 'A contract or program paid by its own rules, without a signature.',
  airdrop: 'It sent the same to many wallets, or a token of unknown value.',
  dust: 'It sent only dust, too little to be a loss.',
  unproven_token: 'Only the log of an unlisted token shows this payment; the wallet never used that token.',
};

type Basis = {
  readonly isBeingRead: boolean;
  /** Whether all that the address did in the time asked for is indexed. */
  readonly isWhole: boolean;
  readonly arePricesPending: ArePricesPending;
};

/** The answer of POST /victims. Only presenters turn amounts into floats. */
export const presentVictims = (
  report: VictimsReport,
  { isBeingRead, isWhole, arePricesPending }: Basis,
): VictimsAnswer => {
  const { request, totals, span } = report;
  const { chain } = request;
  const address = (raw: Address): string => presentAddress(chain, raw);
  const unknown =
    report.scope === 'no_data'
      ? ['No transaction that names it is indexed: whom it robbed is not known.']
      : isWhole
        ? []
        : ['Not all of its history is indexed, so victims, losses and refunds may be missing.'];
  const presentVictim = (victim: Victim) => ({
    address: address(victim.address),
    label: presentLabel(victim.label),
    losses: victim.losses.map((loss) => presentLoss(loss, address)),
    usd: victim.usd,
    refunded_usd: victim.refundedUsd,
    first: victim.firstUnixSeconds,
    last: victim.lastUnixSeconds,
  });
  return {
    chain: chain.name,
    address: address(request.address),
    label: presentLabel(report.label),
    victims: report.victims.map(presentVictim),
    refunded: report.refunded.map(presentVictim),
    affiliates: report.affiliates.map((affiliate) => ({
      ...affiliate,
      address: address(affiliate.address),
      label: presentLabel(affiliate.label),
      signatures: [...affiliate.signatures],
    })),
    not_victims: report.others.map(({ reason, ...other }) => ({
      address: address(other.address),
      label: presentLabel(other.label),
      reason,
      detail: REASONS[reason],
      transactions: other.transactions,
      usd: other.usd,
    })),
    revocable: report.revocable.map(({ asset, ...grant }) => ({
      kind: grant.kind,
      holder: address(grant.holder),
      label: presentLabel(grant.label),
      hand: address(grant.hand),
      subject: address(grant.subject),
      asset: asset && presentAsset(asset, address),
      amount: grant.amountRaw === null ? null : toWholeUnits(grant.amountRaw, asset?.decimals ?? null),
      amount_raw: grant.amountRaw === null ? null : String(grant.amountRaw),
      held: grant.heldRaw === null ? null : toWholeUnits(grant.heldRaw, asset?.decimals ?? null),
      held_raw: grant.heldRaw === null ? null : String(grant.heldRaw),
      signature: grant.signature,
      time: grant.timeUnixSeconds,
      can_revoke: grant.canRevoke,
      detail: grant.detail,
    })),
    totals: {
      victims: totals.victims,
      transfers: totals.transfers,
      usd: totals.usd,
      unpriced: totals.unpriced,
      refunded: totals.refunded,
      refunded_usd: totals.refundedUsd,
      not_victims: totals.others,
      contracts: totals.contracts,
      contracts_usd: totals.contractsUsd,
    },
    meta: {
      chain: chain.name,
      scope: isBeingRead || (!isWhole && report.scope === 'full') ? 'partial' : report.scope,
      detail: [...unknown, ...report.gaps, ...(isBeingRead ? [BEING_READ] : [])].join(' ') || null,
      transactions_read: report.transactionsRead,
      data_from: span?.fromUnixSeconds ?? null,
      data_to: span?.toUnixSeconds ?? null,
      ...presentBasis(chain, arePricesPending),
    },
  };
};

const presentLoss = ({ asset, ...loss }: Loss, address: (raw: Address) => string) => ({
  asset: presentAsset(asset, address),
  amount: toWholeUnits(loss.amountRaw, asset.decimals),
  amount_raw: String(loss.amountRaw),
  received: toWholeUnits(loss.toSubjectRaw, asset.decimals),
  received_raw: String(loss.toSubjectRaw),
  refunded: toWholeUnits(loss.refundedRaw, asset.decimals),
  refunded_raw: String(loss.refundedRaw),
  usd: loss.usd,
  usd_source: loss.usdSource,
  signature: loss.signature,
  time: loss.timeUnixSeconds,
  method: loss.method,
  intended: loss.intended === null ? null : address(loss.intended),
});

const presentAsset = (
  { symbol, canonicalAsset, decimals }: ShownAsset,
  address: (raw: Address) => string,
) => ({
  ...{ symbol, decimals, address: canonicalAsset === NATIVE ? null : address(canonicalAsset) },
});

const presentLabel = (label: Label | null) => label && { name: label.name, kind: label.kind };
