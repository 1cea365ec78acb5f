import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVIDENCE_FAMILIES } from '../trace-answer.ts';
import { CALIBRATION, combineEvidence, sharedExcess } from './combine-evidence.ts';

const mode = fc.constantFrom('fixed' as const, 'free' as const, 'exchange' as const, 'swap' as const);
const anonymitySet = fc.integer({ min: 1, max: 100_000 });
const evidence = fc.array(
  fc.record({
    family: fc.constantFrom(...EVIDENCE_FAMILIES),
    grade: fc.constantFrom('strong' as const, 'plain' as const),
  }),
  { minLength: 1, maxLength: 5 },
);

test('without evidence confidence is below one of the anonymity set and never a lead, as it was fitted', () => {
  fc.assert(
    fc.property(mode, anonymitySet, (crowdMode, n) => {
      const confidence = combineEvidence([], { anonymitySet: n, mode: crowdMode });
      expect(confidence).toBeLessThanOrEqual(1 / n);
      expect(confidence).toBeLessThan(0.5);
    }),
  );
});

test('whatever a calibration says, confidence without evidence is at most one of the anonymity set', () => {
  const any = fc.double({ min: -10, max: 10, noNaN: true });
  fc.assert(
    fc.property(any, any, anonymitySet, (perFit, missing, n) => {
      const prior = { ...CALIBRATION.prior, fixed: { perFit, missing } };
      const confidence = combineEvidence([], { anonymitySet: n, mode: 'fixed' }, { ...CALIBRATION, prior });
      expect(confidence).toBeLessThanOrEqual(1 / n);
    }),
  );
});

test('evidence never lowers confidence, the same family counts once, and nothing is ever certain', () => {
  fc.assert(
    fc.property(mode, anonymitySet, evidence, (crowdMode, n, found) => {
      const crowd = { anonymitySet: n, mode: crowdMode };
      const confidence = combineEvidence(found, crowd);
      expect(confidence).toBeGreaterThanOrEqual(combineEvidence([], crowd) * (1 - 1e-9));
      expect(combineEvidence([...found, ...found], crowd)).toBe(confidence);
      expect(confidence).toBeLessThan(1);
    }),
  );
});

test('however many amounts agree, all of them together are no surer than one can be, and none is less sure than without', () => {
  const amount = [{ family: 'exact_amount', grade: 'strong' }] as const;
  const excess = sharedExcess(amount, CALIBRATION.weights);
  fc.assert(
    fc.property(mode, anonymitySet, fc.nat({ max: 1_000 }), (crowdMode, n, others) => {
      const crowd = { anonymitySet: n + others, mode: crowdMode };
      const each = combineEvidence(amount, { ...crowd, rivals: others * excess });
      expect(each * (others + 1)).toBeLessThanOrEqual(1);
      expect(each).toBeGreaterThanOrEqual(combineEvidence([], crowd) * (1 - 1e-9));
      if (others === 0) expect(each).toBe(combineEvidence(amount, crowd));
    }),
  );
});
