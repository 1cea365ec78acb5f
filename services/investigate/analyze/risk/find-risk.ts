import type { Address } from '../../model/address.ts';
import { countOf } from '../../model/count-of.ts';
import type { Label, LabelKind } from '../../model/label.ts';
import { isTill } from '../../model/label.ts';
import { PUBLIC_GRANTS_MIN } from '../../victims/rules.ts';
import type { Behaviour, Severity } from '../behaviours/behaviour.ts';
import type { FrozenBalance } from '../control/control-profile.ts';
import type { Delegation } from '../control/find-delegation.ts';
import { type ExposedParty, type Exposure, exposureTo } from '../exposure/exposure.ts';
import type { FundingChain } from '../funding-chain.ts';
import { type Level, levelOf, scoreOf, type Weighed } from './score.ts';
import { SIGNALS, type Signal } from './signals.ts';

/**
 * How much was read to judge. `isWhole`: the whole history is indexed. `isEnough`: finding nothing means
 * something.
 */
export type Basis = { readonly isWhole: boolean; readonly isEnough: boolean; readonly detail: string };

/** The input of the risk score. */
export type Judged = {
  readonly label: Label | null;
  readonly exposure: Exposure;
  readonly behaviours: readonly Behaviour[];
  readonly funding: FundingChain | null;
  readonly frozen: readonly FrozenBalance[] | null;
  readonly delegation: Delegation | null;
  readonly basis: Basis;
  readonly symbolOf: (asset: string) => string;
};

export type Reason = Weighed & {
  readonly code: string;
  readonly severity: Severity;
  readonly detail: string;
  /** The labelled parties of the exposure, the largest first. */
  readonly parties: readonly ExposedParty[];
  readonly behaviour: Behaviour | null;
  /** The steps of the funding chain. */
  readonly funding: FundingChain | null;
  readonly frozen: readonly FrozenBalance[];
  readonly delegation: Delegation | null;
};

/** A signal or a single label without which the level would be different. */
export type Change = {
  readonly without:
    | { readonly type: 'signal'; readonly code: string }
    | { readonly type: 'label'; readonly party: ExposedParty };
  /** Whether the money was traced on behind the party. Otherwise it counts as unattributed. */
  readonly isRetraced: boolean;
  readonly level: Level;
  readonly score: number;
};

/** null: too little data for a score. 0: data checked, nothing found. */
export type Risk = {
  readonly level: Level | 'unknown';
  readonly score: number | null;
  readonly basis: Basis;
  readonly reasons: readonly Reason[];
  readonly exposure: Exposure;
  readonly wouldChange: readonly Change[];
};

/**
 * The risk score of an address, with each reason. Without a reason it is `unknown`, unless enough was read
 * and something of it has a price: it was not assessed, so it must not look clean.
 */
export const findRisk = (judged: Judged): Risk => {
  const { exposure, basis } = judged;
  const reasons = findReasons(judged);
  const isAssessed = basis.isEnough && (exposure.in !== null || exposure.out !== null);
  if (reasons.length === 0 && !isAssessed)
    return { level: 'unknown', score: null, basis, reasons, exposure, wouldChange: [] };
  const score = scoreOf(reasons);
  const level = levelOf(score);
  return { level, score, basis, reasons, exposure, wouldChange: findChanges(judged, reasons, level) };
};

/** The heaviest first. */
const findReasons = (judged: Judged): readonly Reason[] =>
  SIGNALS.flatMap((signal) => fire(signal, judged) ?? []).toSorted(
    (a, b) => b.weight * b.strength - a.weight * a.strength,
  );

/** What a service or pool passes on concerns its customers, not the service. */
const isOfCustomers = ({ type, ...source }: Signal['source']): boolean =>
  type === 'exposure' ||
  type === 'funding' ||
  ('name' in source && (source.name === 'wash_loop' || source.name === 'pass_through'));

const fire = (signal: Signal, judged: Judged): Reason | null => {
  const { code, severity, weight, source } = signal;
  if (isTill(judged.label) && isOfCustomers(source)) return null;
  const reason = (strength: number, detail: string, more: Partial<Reason> = {}): Reason => ({
    code,
    severity,
    weight,
    strength,
    detail,
    parties: [],
    behaviour: null,
    funding: null,
    frozen: [],
    delegation: null,
    ...more,
  });
  switch (source.type) {
    case 'label':
      return judged.label?.kind === source.kind
        ? reason(1, `It is labelled "${judged.label.name}" (${source.kind}).`)
        : null;
    case 'behaviour': {
      const behaviour = judged.behaviours.find(({ name }) => name === source.name);
      return behaviour ? reason(behaviour.confidence, behaviour.detail, { behaviour }) : null;
    }
    case 'funding': {
      const last = judged.funding?.steps.at(-1);
      if (last?.label?.kind !== source.kind) return null;
      const steps = judged.funding?.steps.length ?? 0;
      const seenIn = judged.funding?.seenIn ?? null;
      const came = `Its first coin came, ${steps} ${steps === 1 ? 'step' : 'steps'} back, from ${last.label.name}.`;
      const detail = seenIn === null ? came : `${came} ${seenIn}`;
      return reason(seenIn === null ? 1 : UNSURE_FUNDING, detail, { funding: judged.funding });
    }
    case 'frozen': {
      const frozen = judged.frozen ?? [];
      const symbols = [...new Set(frozen.map(({ asset }) => judged.symbolOf(asset)))].join(', ');
      return frozen.length > 0 ? reason(1, `Its ${symbols} is frozen by the issuer.`, { frozen }) : null;
    }
    case 'delegation':
      return fireDelegation(judged.delegation, reason);
    case 'exposure':
      return fireExposure(signal, source, judged, reason);
  }
};

/** Nobody knows the code, and it did nothing yet. A low guess, not measured. */
const UNKNOWN_CODE = 0.25;
const THEFT_KINDS: ReadonlySet<LabelKind> = new Set(['hack', 'sanctioned']);

type ToReason = (strength: number, detail: string, more?: Partial<Reason>) => Reason;

const fireDelegation = (delegation: Delegation | null, reason: ToReason): Reason | null => {
  if (delegation === null) return null;
  const { label, others, sweeps } = delegation;
  const ran = 'Its key delegated to code (EIP-7702)';
  if (label !== null)
    return THEFT_KINDS.has(label.kind)
      ? reason(1, `${ran} that is labelled "${label.name}" (${label.kind}).`, { delegation })
      : null;
  // Code of many wallets does what their keys sign.
  if (others >= PUBLIC_GRANTS_MIN) return null;
  const known = `${ran} that no list names; ${countOf(others, 'other wallet')} did so in indexed blocks.`;
  if (sweeps.length === 0) return reason(UNKNOWN_CODE, known, { delegation });
  const paid = `The code paid money out in ${countOf(sweeps.length, 'transaction')} that others sent: what arrives may leave at once.`;
  return reason(1, `${known} ${paid}`, { delegation });
};

/** Earlier blocks may show another first payment. A low guess, not measured. */
const UNSURE_FUNDING = 0.5;

type ExposureSource = Extract<Signal['source'], { type: 'exposure' }>;

/** Anybody can send dust. A smaller amount counts only when it is a notable share of all that moved. */
const USD_MIN = 1;
const DUST_USD_MAX = 100;
const DUST_SHARE_MAX = 0.01;

const fireExposure = (
  { meaning }: Signal,
  { kind, direction, reach, fullShare }: ExposureSource,
  { exposure, basis }: Pick<Judged, 'exposure' | 'basis'>,
  reason: ToReason,
): Reason | null => {
  const side = exposure[direction];
  if (side === null) return null;
  const found = exposureTo(side, kind);
  const usd = reach === 'direct' ? found.directUsd : found.indirectUsd;
  const share = usd / side.totalUsd;
  if (usd < USD_MIN || (usd < DUST_USD_MAX && share < DUST_SHARE_MAX)) return null;
  const parties = side.parties
    .filter(
      ({ label, directUsd, indirectUsd }) =>
        label.kind === kind && (reach === 'direct' ? directUsd : indirectUsd) > 0,
    )
    .toSorted((a, b) => (reach === 'direct' ? b.directUsd - a.directUsd : b.indirectUsd - a.indirectUsd));
  const names = [...new Set(parties.map(({ label }) => label.name))].slice(0, 3).join(', ');
  const all = `all that ${direction === 'in' ? 'came in' : 'went out'}${basis.isWhole ? '' : ' in indexed blocks'}`;
  const detail = `${meaning.slice(0, -1)}: $${Math.round(usd).toLocaleString('en-US')}, ${percent(share)} of ${all} (${names}).`;
  return reason(Math.min(1, share / fullShare), detail, { parties });
};

const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;

/** Each single signal, and each label that signals rest on: an analyst may doubt any one of them. */
const findChanges = (judged: Judged, reasons: readonly Reason[], level: Level): readonly Change[] => {
  const bySignal = reasons.map(({ code }): Change => {
    const score = scoreOf(reasons.filter((reason) => reason.code !== code));
    return { without: { type: 'signal', code }, isRetraced: false, score, level: levelOf(score) };
  });
  const parties = new Map(reasons.flatMap((reason) => reason.parties).map((party) => [party.address, party]));
  const byLabel = [...parties.values()].map((party): Change => {
    const score = scoreOf(findReasons({ ...judged, exposure: withoutParty(judged.exposure, party) }));
    return { without: { type: 'label', party }, isRetraced: false, score, level: levelOf(score) };
  });
  return [...bySignal, ...byLabel].filter((change) => change.level !== level).slice(0, CHANGES_MAX);
};

const CHANGES_MAX = 20;

/** Each one costs as much work as the exposure itself. */
const RETRACED_MAX = 3;

/**
 * Recomputes the level without each decisive label, tracing the money on behind that party. If the level
 * stays the same, the label is not decisive. `exposureWithout` gives null when the time is over.
 */
export const retraceLabels = async (
  risk: Risk,
  judged: Judged,
  exposureWithout: (address: Address) => Promise<Exposure | null>,
): Promise<Risk> => {
  let left = RETRACED_MAX;
  const retrace = async (change: Change): Promise<Change> => {
    if (change.without.type !== 'label' || left-- <= 0) return change;
    const exposure = await exposureWithout(change.without.party.address);
    if (exposure === null) return change;
    const score = scoreOf(findReasons({ ...judged, exposure }));
    return { ...change, isRetraced: true, score, level: levelOf(score) };
  };
  const wouldChange = await Promise.all(risk.wouldChange.map(retrace));
  return { ...risk, wouldChange: wouldChange.filter(({ level }) => level !== risk.level) };
};

/** Without the label, the party's money comes from an unknown source. */
const withoutParty = (exposure: Exposure, { address }: ExposedParty): Exposure => {
  const leave = (side: Exposure['in']): Exposure['in'] =>
    side && { ...side, parties: side.parties.filter((party) => party.address !== address) };
  return { in: leave(exposure.in), out: leave(exposure.out) };
};
