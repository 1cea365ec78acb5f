import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findChain } from '../../model/chain.ts';
import { NATIVE } from '../../model/movement.ts';
import { chooseFeeModel, isExactFee, paidInRange, paidOutRange } from './fee-model.ts';

const solana = findChain('solana');
if (solana === null) throw new Error('solana is not known');
const model = chooseFeeModel(solana, { entity: 'Privacy Cash', mode: 'free', canonicalAsset: NATIVE });

test('what a fee leaves of an amount leads back to that amount, to the last unit', () => {
  const [share] = model.sharePpm;
  const [flat] = model.flatRaw;
  fc.assert(
    fc.property(fc.bigInt(100_000_000n, 10n ** 15n), (inRaw) => {
      const outRaw = inRaw - (inRaw * share) / 1_000_000n - flat;
      const paidIn = paidInRange(model, outRaw);
      expect(paidIn.minRaw <= inRaw && inRaw <= paidIn.maxRaw).toBe(true);
      const paidOut = paidOutRange(model, inRaw);
      expect(paidOut.minRaw <= outRaw && outRaw <= paidOut.maxRaw).toBe(true);
    }),
    { numRuns: 20_000 },
  );
});

test('whatever is an exact fee can come out, however its share was rounded', () => {
  fc.assert(
    fc.property(fc.bigInt(100_000_000n, 10n ** 15n), fc.bigInt(-3n, 3n), (inRaw, off) => {
      const outRaw = paidOutRange(model, inRaw).maxRaw - 1n + off;
      const { minRaw, maxRaw } = paidOutRange(model, inRaw);
      expect(minRaw <= outRaw && outRaw <= maxRaw).toBe(isExactFee(model, inRaw, outRaw));
    }),
  );
  const whole = { sharePpm: [0n, 10_000n], flatRaw: [0n, 0n] } as const;
  expect(paidOutRange(whole, 1_000_000n)).toEqual({ minRaw: 989_999n, maxRaw: 1_000_000n });
});

test('what is known to the last unit leads back to no more than three amounts', () => {
  const { minRaw, maxRaw } = paidInRange(model, 993_033_103n);
  expect(minRaw <= 1_002_541_999n).toBe(true);
  expect(maxRaw - minRaw <= 2n).toBe(true);
});

test('a service that nothing is known of has the fees of its mode, also where its name is a word of the language', () => {
  const feesOf = (entity: string) => chooseFeeModel(solana, { entity, mode: 'free', canonicalAsset: NATIVE });
  expect(feesOf('constructor')).toEqual(feesOf('somebody'));
});
