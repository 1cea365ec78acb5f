import { expect, test } from 'vitest';
import type { Candidate } from '../../services/investigate/trace/trace-answer.ts';
import { brierSkill, calibrationError, type GradedTrace, gradeTrace } from './grade-traces.ts';

const candidate = (wallet: string, confidence: number, deltaSeconds: number): Graded => ({
  wallet,
  signature: wallet,
  mode: 'fixed',
  canonicalAsset: 'native',
  amountRaw: 1n,
  timeUnixSeconds: deltaSeconds,
  deltaSeconds,
  tier: 'weak',
  confidence,
  via: null,
  label: null,
  sameWallet: false,
  evidence: [],
  transfers: 1,
  firstSeenUnixSeconds: null,
});

type Graded = Omit<Candidate, 'crowd'>;

const grade = (candidates: readonly Graded[], owner: string): GradedTrace =>
  gradeTrace(
    { candidates: candidates.map((one) => ({ ...one, crowd: candidates.length })) },
    ({ wallet }) => wallet === owner,
    true,
  );

test('the candidate shown first is graded, whoever shares its confidence', () => {
  const graded = grade([candidate('far', 0.25, 900), candidate('near', 0.25, 10)], 'near');
  expect(graded).toMatchObject({
    rank: 2,
    rankByTime: 1,
    top: { confidence: 0.25, isRight: false, tiedShare: 0.5 },
  });
});

test('saying a quarter is calibrated where one of four shown first is right, and not where all are', () => {
  const four = ['a', 'b', 'c', 'd'].map((wallet) => candidate(wallet, 0.25, 1));
  const once = Array.from({ length: 40 }, (_, at) => grade(four, at % 4 === 0 ? 'a' : 'b'));
  const always = Array.from({ length: 40 }, () => grade(four, 'a'));
  // Bins of four answers, one of them right.
  expect(calibrationError(once)).toBe(0);
  expect(calibrationError(always)).toBeCloseTo(0.75);
  expect(brierSkill(once)).toBe(0);
});

test('confidence that is right beats one of the anonymity set, and confidence that is wrong does worse', () => {
  const sure = [candidate('a', 0.9, 1), candidate('b', 0.5, 2)];
  expect(brierSkill([grade(sure, 'a')])).toBeGreaterThan(0.9);
  expect(brierSkill([grade(sure, 'b')])).toBeLessThan(0);
});
