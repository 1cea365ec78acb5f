import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { ExposureSide } from '../../services/investigate/analyze/exposure/exposure.ts';
import { exposureTo } from '../../services/investigate/analyze/exposure/exposure.ts';
import type { Profile } from '../../services/investigate/analyze/profile.ts';
import { LEVELS } from '../../services/investigate/analyze/risk/score.ts';
import { isListed, toCanonicalAsset } from '../../services/investigate/model/asset.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { LABEL_KINDS, type LabelKind } from '../../services/investigate/model/label.ts';
import { say } from '../bench/bench-store.ts';
import { type Figure, toFigure } from '../bench/figure.ts';
import { gradeControl } from './grade-control.ts';
import { type readReference, referenceExposure } from './reference-exposure.ts';

type Case = Extract<TruthLine, { type: 'case' }>;
type Drainer = Extract<TruthLine, { type: 'drainer' }>;
type Graded = { readonly key: string; readonly isRight: boolean; readonly group: string };

const isCase = (line: TruthLine): line is Case => line.type === 'case';

export const gradeProfiles = (
  profiles: ReadonlyMap<string, Profile>,
  all: readonly TruthLine[],
  reference: ReturnType<typeof readReference>,
): Figure[] => {
  // Inactive addresses look like non-existent ones. Imitations of somebody whom the victim never met, or whom the
  // chain knows since later, cannot be told either.
  const truth = all.filter((line) => isTellable(line, reference));
  const identities = gradeIdentities(profiles, truth).filter(
    ({ key }) => reference.named.has(key) || reference.controlled.has(key),
  );
  const levels = gradeLevels(profiles, truth, reference.named);
  const errors = gradeExposures(profiles, truth, reference);
  const behaviours = gradeBehaviours(profiles, truth);
  const control = gradeControl(profiles, truth.filter(isCase));
  for (const { key, group } of [...identities, ...levels, ...behaviours, ...control].filter(
    ({ isRight }) => !isRight,
  ))
    say(`wrong: ${key}: ${group}`);
  for (const { key, points } of errors.toSorted((a, b) => b.points - a.points).slice(0, 5))
    say(`exposure off by ${points.toFixed(2)} points: ${key}`);
  const unused = levels.filter(({ group }) => group.startsWith('unused'));
  const used = levels.filter(({ group }) => !group.startsWith('unused'));
  const share = (name: string, of: readonly Graded[], atLeast: number): Figure =>
    toFigure({ name: `analyze.${name}`, unit: `of ${of.length} addresses`, atLeast }, [
      of.filter(({ isRight }) => isRight).length / of.length,
    ]);
  const points = errors.map((each) => each.points).toSorted((a, b) => a - b);
  return [
    share('identity_accuracy', identities, 0.95),
    share('risk_within_one_step', used, 0.95),
    share('behaviour_recall', behaviours, 0.95),
    share('control_events', control, 1),
    share('unused_unknown', unused, 1),
    toFigure({ name: 'analyze.exposure_error_points', unit: `points, mean of ${points.length}`, atMost: 2 }, [
      points.reduce((sum, each) => sum + each, 0) / points.length,
    ]),
    toFigure({ name: 'analyze.exposure_error_points_p95', unit: `points, of ${points.length}`, atMost: 2 }, [
      points[Math.floor((points.length - 1) * 0.95)] ?? Number.NaN,
    ]),
  ];
};

const isTellable = (line: TruthLine, { met, named }: ReturnType<typeof readReference>): boolean => {
  if (line.type !== 'lookalike') return true;
  const [meant = Number.POSITIVE_INFINITY, made = 0] = [line.of, line.address].map((address) =>
    named.get(`${line.chain} ${address}`),
  );
  return meant < made && met.has(`${line.chain} ${line.victim} ${line.of}`);
};

/** What every address is, by its case, name and owner. */
const typesOf = (truth: readonly TruthLine[]): ReadonlyMap<string, string> => {
  const types = new Map<string, string>();
  const put = (chain: string, address: string, type: string): void => {
    types.set(`${chain} ${address}`, type === 'other' ? 'wallet' : type);
  };
  for (const line of truth)
    if (line.type === 'owner' && line.kind === 'person')
      for (const { chain, address } of line.wallets) put(chain, address, 'wallet');
  for (const line of truth) if (line.type === 'deposit_address') put(line.chain, line.address, 'exchange');
  for (const line of truth) if (line.type === 'label') put(line.chain, line.address, line.kind);
  for (const line of truth) if (line.type === 'case') put(line.chain, line.address, line.identity);
  return types;
};

/** Deposit addresses with fewer than two sweeps cannot be told by behaviour. */
const SWEEPS_MIN = 2;

const gradeIdentities = (profiles: ReadonlyMap<string, Profile>, truth: readonly TruthLine[]): Graded[] => {
  const types = typesOf(truth);
  const isUntold = (line: TruthLine): boolean =>
    (line.type === 'deposit_address' && line.sweeps < SWEEPS_MIN) ||
    (line.type === 'drainer' && !isTold(line));
  const known = new Set(
    truth.flatMap((line) => (line.type === 'label' && line.known ? [`${line.chain} ${line.address}`] : [])),
  );
  const untold = new Set(
    truth.flatMap((line) => (isUntold(line) && 'address' in line ? [`${line.chain} ${line.address}`] : [])),
  );
  return [...profiles].flatMap(([key, { identity }]): Graded[] => {
    const expected = types.get(key);
    if (expected === undefined || (untold.has(key) && !known.has(key))) return [];
    return [{ key, isRight: identity.type === expected, group: `identity ${identity.type}, is ${expected}` }];
  });
};

/**
 * A split of two or three payments may be any partnership's. Losses of unlisted tokens are a contract's mere
 * claim.
 */
const VICTIMS_MIN = 4;
const isTold = ({ chain, victims }: Drainer): boolean => {
  const known = findChain(chain);
  const believed = victims.filter(
    ({ asset }) =>
      known !== null && (known.family === 'solana' || isListed(known, toCanonicalAsset(known, asset))),
  );
  return new Set(believed.map(({ address }) => address)).size >= VICTIMS_MIN;
};

const BEHAVED: Readonly<Record<string, string>> = { lookalike: 'high', drainer: 'critical' };
const BY_KIND: Readonly<Record<string, string>> = { sanctioned: 'critical', hack: 'critical', mixer: 'high' };

/** Levels given by the truth: cases, known culprits, imitations and drainers. */
const levelsOf = (truth: readonly TruthLine[]): ReadonlyMap<string, string> => {
  const levels = new Map<string, string>();
  for (const line of truth) {
    if (line.type === 'label' && line.known)
      levels.set(`${line.chain} ${line.address}`, BY_KIND[line.kind] ?? 'none');
    const behaved = line.type === 'drainer' && !isTold(line) ? undefined : BEHAVED[line.type];
    if (behaved !== undefined && 'address' in line) levels.set(`${line.chain} ${line.address}`, behaved);
  }
  for (const line of truth.filter(isCase))
    if (line.level !== null) levels.set(`${line.chain} ${line.address}`, line.level);
  return levels;
};

/** Unused addresses must be unknown. */
const gradeLevels = (
  profiles: ReadonlyMap<string, Profile>,
  truth: readonly TruthLine[],
  named: ReadonlyMap<string, number>,
): Graded[] => {
  const levels = levelsOf(truth);
  return [...profiles].flatMap(([key, { risk, labels }]): Graded[] => {
    if (!named.has(key) && labels.length === 0)
      return [{ key, isRight: risk.level === 'unknown', group: `unused, said ${risk.level}` }];
    const told = levels.get(key);
    if (told === undefined) return [];
    // A name alone does not make clean: without transactions nothing was examined.
    const level = named.has(key) || told !== 'none' ? told : 'unknown';
    const [said = -1, is = -1] = [risk.level, level].map((each) =>
      LEVELS.indexOf(each as (typeof LEVELS)[number]),
    );
    const isNear = risk.level === level || (said >= 0 && is >= 0 && Math.abs(said - is) <= 1);
    return [{ key, isRight: isNear, group: `risk ${risk.level}, is ${level}` }];
  });
};

const gradeBehaviours = (profiles: ReadonlyMap<string, Profile>, truth: readonly TruthLine[]): Graded[] => {
  const wanted = truth.flatMap((line) =>
    line.type === 'case'
      ? line.behaviours.map((name) => ({ key: `${line.chain} ${line.address}`, name }))
      : line.type === 'lookalike'
        ? [{ key: `${line.chain} ${line.address}`, name: 'poisoner' }]
        : line.type === 'drainer' && isTold(line)
          ? [{ key: `${line.chain} ${line.address}`, name: 'drainer' }]
          : [],
  );
  return wanted
    .filter(({ key }) => profiles.has(key))
    .map(({ key, name }) => ({
      key,
      isRight: profiles.get(key)?.behaviours.some((each) => each.name === name) ?? false,
      group: `behaviour ${name} is missing`,
    }));
};

type Gap = { readonly key: string; readonly points: number };

/**
 * The largest difference of any kind of party, in points of everything that moved; for cases against their
 * construction.
 */
const gradeExposures = (
  profiles: ReadonlyMap<string, Profile>,
  truth: readonly TruthLine[],
  reference: ReturnType<typeof readReference>,
): Gap[] => {
  const cases = new Map(truth.filter(isCase).map((line) => [`${line.chain} ${line.address}`, line]));
  return [...profiles].flatMap(([key, { chain, address, identity, risk }]) => {
    const made = cases.get(key);
    const isPlain = identity.type === 'wallet';
    return (['in', 'out'] as const).flatMap((way): Gap[] => {
      const side = risk.exposure[way];
      const expected = made?.exposure[way];
      if (expected)
        return [{ key: `${key} ${way} (case ${made?.name})`, points: gapTo(side, (kind) => expected[kind]) }];
      const found = isPlain ? referenceExposure(reference, chain.name, address, way) : null;
      if (found === null) return [];
      return [{ key: `${key} ${way}`, points: gapTo(side, (kind) => found.get(kind) ?? 0) }];
    });
  });
};

const gapTo = (side: ExposureSide | null, shareOf: (kind: LabelKind) => number | undefined): number =>
  Math.max(
    ...LABEL_KINDS.map((kind) => {
      const share = shareOf(kind);
      if (share === undefined) return 0;
      return Math.abs((side === null ? 0 : exposureTo(side, kind).share) - share) * 100;
    }),
  );
