import { expect, test } from 'vitest';
import { linkLegs } from './link-legs.ts';

test('legs without number are told apart without looking each up in all others', () => {
  const LEGS = 2_000;
  let looks = 0;
  const legOf = (amountRaw: bigint) => ({
    get amountRaw() {
      looks++;
      return amountRaw;
    },
  });
  const firsts = Array.from({ length: LEGS }, (_, index) => legOf(BigInt(LEGS + ((index * 7_919) % LEGS))));
  const seconds = firsts.map((_, index) => legOf(BigInt(LEGS + index)));
  const links = linkLegs(firsts, seconds);
  const amounts = links.map(({ first, second }) => [first.amountRaw, second.amountRaw]);
  expect(amounts).toHaveLength(LEGS);
  expect(amounts.every(([first, second]) => first === second)).toBe(true);
  expect(looks).toBeLessThan(100 * LEGS);
});

test('of equal legs each is handed on once, as much as is left of it', () => {
  const [one, two] = [{ amountRaw: 5n }, { amountRaw: 5n }];
  const seconds = [{ amountRaw: 2n }, { amountRaw: 3n }, { amountRaw: 5n }];
  const links = linkLegs([one, two], seconds);
  expect(links.map(({ first, second }) => [first === one, second.amountRaw])).toEqual([
    [true, 5n],
    [false, 3n],
    [false, 2n],
  ]);
});
