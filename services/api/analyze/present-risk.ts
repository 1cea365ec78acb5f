import type { Delegation } from '../../investigate/analyze/control/find-delegation.ts';
import {
  type Exposure,
  type ExposureSide,
  exposureTo,
  type PathStep,
} from '../../investigate/analyze/exposure/exposure.ts';
import type { Change, Reason, Risk } from '../../investigate/analyze/risk/find-risk.ts';
import { SCORE_VERSION } from '../../investigate/analyze/risk/score.ts';
import { SIGNALS_VERSION } from '../../investigate/analyze/risk/signals.ts';
import { PARTIES_TOLD_MAX } from '../../investigate/analyze/rules.ts';
import { tidyShare } from '../../investigate/model/amount.ts';
import { LABEL_KINDS } from '../../investigate/model/label.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { View } from './view.ts';

/** null: nothing is known. 0: the data was searched and nothing was found. */
export const presentRisk = (view: View, { level, score, basis, reasons, exposure, wouldChange }: Risk) => ({
  ...{ level, score, basis: basis.detail },
  reasons: reasons.map((reason) => presentReason(view, reason)),
  exposure: { in: presentSide(exposure.in), out: presentSide(exposure.out) },
  exposure_read: presentRead(exposure),
  would_change: wouldChange.map((change) => presentChange(view, change)),
  versions: { score: SCORE_VERSION, signals: SIGNALS_VERSION },
});

const presentReason = (view: View, { code, severity, weight, strength, detail, ...found }: Reason) => ({
  ...{ code, severity, weight, strength, detail },
  evidence: presentEvidence(view, found),
  path: (found.parties.find(({ path }) => path !== null && code.includes('indirect'))?.path ?? []).map(
    (step) => presentStep(view, step),
  ),
});

/** Transactions to open in an explorer. */
const presentEvidence = (
  view: View,
  {
    parties,
    behaviour,
    funding,
    frozen,
    delegation,
  }: Pick<Reason, 'parties' | 'behaviour' | 'funding' | 'frozen' | 'delegation'>,
) => [
  ...parties.slice(0, PARTIES_TOLD_MAX).flatMap(({ address, label, direct, path }) =>
    (direct.length > 0 ? direct : (path ?? [])).map((step) => ({
      ...presentStep(view, step),
      counterparty: view.address(address),
      label: { name: label.name, kind: label.kind },
    })),
  ),
  ...(behaviour?.examples ?? []).map((at) => view.placed(at)),
  ...frozen.map(({ signature, time, asset }) => ({ signature, time, asset: view.asset(asset) })),
  ...(delegation === null ? [] : presentDelegation(view, delegation)),
  ...(funding?.steps ?? []).map(({ funder, amountRaw, ...at }) => ({
    ...view.placed(at),
    counterparty: view.address(funder),
    asset: view.asset(NATIVE),
    ...view.amountOf(NATIVE, amountRaw),
  })),
];

/** The delegation, and the transactions in which the code paid. */
const presentDelegation = (view: View, { signature, time, code, label, sweeps }: Delegation) => [
  {
    ...{ signature, time, counterparty: view.address(code) },
    ...(label !== null && { label: { name: label.name, kind: label.kind } }),
  },
  ...sweeps.map((at) => view.placed(at)),
];

const presentStep = (view: View, { from, to, canonicalAsset, amountRaw, usd, ...at }: PathStep) => ({
  from: view.address(from),
  to: view.address(to),
  ...view.placed(at),
  asset: view.asset(canonicalAsset),
  ...view.amountOf(canonicalAsset, amountRaw),
  usd,
});

/** The shares of all kinds and of `unattributed` add up to 1. */
const presentSide = (side: ExposureSide | null) =>
  side && {
    ...Object.fromEntries(
      LABEL_KINDS.map((kind) => {
        const { usd, share, directUsd, indirectUsd, minHops } = exposureTo(side, kind);
        return [kind, { usd, share, min_hops: minHops, direct_usd: directUsd, indirect_usd: indirectUsd }];
      }),
    ),
    unattributed: {
      usd: side.unattributedUsd,
      share: tidyShare(side.unattributedUsd / side.totalUsd),
      min_hops: null,
    },
  };

const presentRead = (exposure: Exposure) => {
  const present = (side: ExposureSide | null) =>
    side && {
      total_usd: side.totalUsd,
      wallets: side.read.wallets,
      stopped: side.read.stopped,
      left_out_usd: side.read.leftOutUsd,
    };
  return { in: present(exposure.in), out: present(exposure.out) };
};

const presentChange = (view: View, { without, isRetraced, level, score }: Change) => ({
  without:
    without.type === 'signal'
      ? { signal: without.code }
      : { label: { address: view.address(without.party.address), name: without.party.label.name } },
  ...{ retraced: isRetraced, level, score },
});
