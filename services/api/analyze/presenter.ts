import { TARIFFS, type TariffName } from '../../credits/decider/tariffs.ts';
import type { Behaviour } from '../../investigate/analyze/behaviours/behaviour.ts';
import type { FundingChain } from '../../investigate/analyze/funding-chain.ts';
import type {
  Balance,
  Connection,
  Profile,
  ServiceUse,
  Side,
  TraceableTransfer,
  Transfer,
} from '../../investigate/analyze/profile.ts';
import type { Address } from '../../investigate/model/address.ts';
import type { Label } from '../../investigate/model/label.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { SaidLabel } from '../../investigate/model/profile-reader.ts';
import { BEING_READ } from '../asking/being-read.ts';
import { type ArePricesPending, presentBasis } from '../present-basis.ts';
import { presentFrozen, presentProgram, presentToken } from './present-control.ts';
import { presentRisk } from './present-risk.ts';
import { createView, type View } from './view.ts';

type Asked = {
  readonly isBeingRead: boolean;
  readonly charged: TariffName | null;
  readonly arePricesPending: ArePricesPending;
};

/** The answer of POST /analyze. Only presenters turn amounts into floats. */
export const presentProfile = (profile: Profile, { isBeingRead, charged, arePricesPending }: Asked) => {
  const { chain, identity, meta } = profile;
  const view = createView(profile);
  return {
    address: view.address(profile.address),
    chain: chain.name,
    identity,
    labels: profile.labels.map((label) => presentLabel(view, profile.address, label)),
    risk: presentRisk(view, profile.risk),
    funding: profile.funding && presentFunding(view, profile.funding),
    activity: profile.activity && {
      seen_in: profile.activity.seenIn,
      first_seen: profile.activity.firstSeen,
      last_seen: profile.activity.lastSeen,
      transactions: profile.activity.transactions,
      transfers_in: profile.activity.transfersIn,
      transfers_out: profile.activity.transfersOut,
      counterparties: profile.activity.counterparties,
      usd_in: profile.activity.usdIn,
      usd_out: profile.activity.usdOut,
    },
    frozen: profile.frozen?.map((each) => presentFrozen(view, each)) ?? null,
    token: profile.token && presentToken(view, profile.address, profile.token),
    program: profile.program && presentProgram(view, profile.program),
    balances: profile.balances.map((balance) => presentBalance(view, balance)),
    behaviours: profile.behaviours.map((behaviour) => presentBehaviour(view, behaviour)),
    connections: profile.connections.map((connection) => presentConnection(view, connection)),
    services: profile.services.map((service) => presentService(view, service)),
    lookalikes: profile.lookalikes.map(({ role, address, of, victim, seenIn, ...at }) => ({
      seen_in: seenIn,
      role,
      address: view.address(address),
      of: view.address(of),
      victim: view.address(victim),
      ...view.placed(at),
    })),
    meta: {
      chain: chain.name,
      // The node is still reading more.
      scope: isBeingRead && meta.scope === 'full' ? 'partial' : meta.scope,
      detail: isBeingRead ? `${meta.detail ?? ''} ${BEING_READ}`.trim() : meta.detail,
      transactions_read: meta.transactionsRead,
      complete: meta.complete && !isBeingRead,
      data_from: meta.span?.fromUnixSeconds ?? null,
      data_to: meta.span?.toUnixSeconds ?? null,
      index_head: meta.indexHead,
      ...presentBasis(chain, arePricesPending),
      charged: charged === null ? 0 : TARIFFS[charged].units,
    },
  };
};

const presentLabel = (view: View, wallet: Address, label: SaidLabel) => ({
  name: label.name,
  kind: label.kind,
  entity: label.entity === '' ? null : label.entity,
  category: label.category === '' ? null : label.category,
  source: label.source,
  creator: label.creator === '' ? null : label.creator,
  confidence: label.confidence,
  evidence: label.evidence === '' ? null : label.evidence,
  updated_at: label.assertedAt,
  valid_from: label.validFrom,
  valid_to: label.validTo,
  inherited_from: presentOrigin(view, wallet, label),
});

/** Of another chain: with its name, as the address is mostly the same. */
const presentOrigin = (view: View, wallet: Address, { chain, inheritedFrom }: SaidLabel): string | null => {
  if (chain !== view.chain.name) return `${chain}:${view.address(inheritedFrom ?? wallet)}`;
  return inheritedFrom === null ? null : view.address(inheritedFrom);
};

const presentName = (label: Label | null) => label && { name: label.name, kind: label.kind };

/** The first funder, its funder, and so on. */
const presentFunding = (view: View, { steps, end, seenIn }: FundingChain) => {
  const shown = steps.map(({ wallet, funder, label, amountRaw, ...at }) => ({
    address: view.address(funder),
    funded: view.address(wallet),
    label: presentName(label),
    ...view.amountOf(NATIVE, amountRaw),
    asset: view.chain.native.symbol,
    ...view.placed(at),
  }));
  return { ...shown[0], seen_in: seenIn, chain: shown, end };
};

const presentBalance = (view: View, { asset, amountRaw, usd, source }: Balance) => ({
  asset: view.asset(asset),
  ...(amountRaw === null ? { amount: null, amount_raw: null } : view.amountOf(asset, amountRaw)),
  usd,
  source,
});

const presentBehaviour = (view: View, { name, confidence, severity, detail, examples }: Behaviour) => ({
  ...{ name, confidence, severity, detail },
  evidence: examples.flatMap((at) => view.signature(at) ?? []),
});

const presentTransfer = (view: View, transfer: Transfer) => ({
  direction: transfer.direction,
  counterparty: view.address(transfer.counterparty),
  asset: view.asset(transfer.canonicalAsset),
  ...view.amountOf(transfer.canonicalAsset, transfer.amountRaw),
  usd: transfer.usd,
  ...view.placed(transfer),
});

const presentSide = (view: View, { count, usd, first, last, largest }: Side) => ({
  ...{ count, usd, first, last },
  largest: largest && presentTransfer(view, largest),
});

const presentConnection = (view: View, { address, label, transfers, ...sides }: Connection) => ({
  address: view.address(address),
  label: presentName(label),
  in: presentSide(view, sides.in),
  out: presentSide(view, sides.out),
  transfers: transfers.map((transfer) => presentTraceable(view, transfer)),
});

/** With `wallet` and `chain` of the request these are requests for POST /trace. */
const presentTraceable = (view: View, transfer: TraceableTransfer) => ({
  ...view.placed(transfer),
  direction: transfer.direction,
  counterparty: view.address(transfer.counterparty),
  asset: view.asset(transfer.largest.canonicalAsset).symbol,
  ...view.amountOf(transfer.largest.canonicalAsset, transfer.largest.amountRaw),
  sol: transfer.coin,
  usd: transfer.usd,
  worth_usd: transfer.largest.usd,
});

const presentService = (view: View, { name, kind, latest, ...sides }: ServiceUse) => ({
  ...{ name, kind, in: sides.in, out: sides.out },
  latest: presentTransfer(view, latest),
});
