import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { askTrace as ask, evidenceOf, NOTE, POOL, T, USDC } from '../../../testing/trace-story.ts';
import type { Service } from '../../model/trace-reader.ts';

const services = new Map<string, Service>([POOL, ['hot', { entity: 'ex', kind: 'exchange' }]]);

/** Deposits of many sums: the pool takes any amount. */
const sums = Array.from(
  { length: 60 },
  (_, index): StoryStep => ({
    time: T - 10_000 + index,
    moves: [move(`d${index}`, 'pool', (NOTE / 10n) * BigInt(3 + (index % 17)))],
  }),
);
const paidIn = (raw: bigint): StoryStep => ({ time: T, hash: 'anchor', moves: [move('ann', 'pool', raw)] });
const paidOut = (to: string, at: number, raw: bigint): StoryStep => ({
  time: T + 600 + at * 60,
  moves: [move('pool', to, raw)],
});
const ODD = 1_234_567n * 10n ** 12n;

const askFree = (...steps: StoryStep[]) => ask([...sums, ...steps], { coin: 1 }, { services });

describe('an amount that agrees', () => {
  const confidenceOf = async (sharers: number) => {
    const same = Array.from({ length: sharers }, (_, index) => paidOut(`s${index}`, index, ODD));
    // As large a crowd, however many of it share the amount.
    const near = Array.from({ length: 10 - sharers }, (_, index) =>
      paidOut(`n${index}`, index, ODD - BigInt(index + 1) * 349_505_917_712_345n),
    );
    const { candidates } = await askFree(paidIn(ODD), ...same, ...near);
    return candidates.filter(({ evidence }) => evidence.length > 0).map(({ confidence }) => confidence);
  };

  test('is a lead where one candidate has it', async () => {
    const [alone, ...others] = await confidenceOf(1);
    expect(alone).toBeGreaterThan(0.9);
    expect(others).toEqual([]);
  });

  test('of few digits is believed no more than it is rare among amounts as coarse', async () => {
    const coarse = 1_234n * 10n ** 15n;
    const others = [1, 2, 3, 4].map((at) => paidOut(`s${at}`, at, coarse - BigInt(at) * 10n ** 15n));
    const { candidates } = await askFree(paidIn(coarse), paidOut('bob', 0, coarse), ...others);
    expect(candidates[0]).toMatchObject({ wallet: 'bob', evidence: [{ family: 'exact_amount' }] });
    // Some twelve amounts of four digits lie within a hundredth, and five of them came out.
    expect(candidates[0]?.confidence).toBeGreaterThan(0.5);
    expect(candidates[0]?.confidence).toBeLessThan(0.8);
  });

  test('with the relayer’s fee is its recipient’s, and not the relayer’s', async () => {
    const small = 4_123_456_789_123_456n;
    const fee = 1_300_000_000_000_000n;
    const relayed = [move('pool', 'bob', small - fee), move('pool', 'relayer', fee)];
    const { candidates } = await askFree(paidIn(small), { time: T + 900, moves: relayed });
    const told = candidates.map(({ wallet, evidence }) => [wallet, evidence.length] as const);
    expect(told[0]).toEqual(['bob', 1]);
    expect(told.slice(1)).toEqual([['relayer', 0]]);
  });

  test.each([2, 5, 10])('is one chance for all of %i who share it', async (sharers) => {
    const confidences = await confidenceOf(sharers);
    expect(confidences).toHaveLength(sharers);
    const sum = confidences.reduce((a, b) => a + b, 0);
    expect(sum).toBeLessThanOrEqual(1);
    expect(sum).toBeGreaterThan(0.9);
  });

  test('says no more of who took out another that agrees, too', async () => {
    const sum = 12_345n * 10n ** 14n;
    const surest = async (other: StoryStep) =>
      (await askFree(paidIn(sum), paidOut('bob', 0, sum), other)).candidates.find(
        ({ wallet }) => wallet === 'bob',
      );
    const alone = await surest(paidOut('eve', 1, sum - 349_505_917_712_345n));
    const both = await surest(paidOut('bob', 1, sum - sum / 1_000n));
    expect(both).toMatchObject({ evidence: [{ family: 'exact_amount' }], confidence: alone?.confidence });
  });

  test('takes nothing from a candidate that other evidence ties', async () => {
    const gas: StoryStep = { time: T - 50, moves: [move('ann', 's3', NOTE)] };
    const same = Array.from({ length: 10 }, (_, index) => paidOut(`s${index}`, index, ODD));
    const { candidates } = await askFree(paidIn(ODD), gas, ...same);
    expect(candidates[0]).toMatchObject({ wallet: 's3', confidence: 0.999 });
    expect(candidates[1]?.confidence).toBeLessThan(0.2);
  });
});

describe('a round sum that comes out is no fee of an unusual one that went in', () => {
  test('of a mixer', async () => {
    const notes = Array.from({ length: 10 }, (_, index) => paidOut(`s${index}`, index, NOTE));
    const { candidates } = await askFree(paidIn((NOTE * 1_005n) / 1_000n), ...notes);
    expect(candidates).toHaveLength(10);
    expect(candidates.flatMap(({ evidence }) => evidence)).toEqual([]);
  });

  test('of an exchange', async () => {
    const asset = { asset: USDC };
    const steps: StoryStep[] = [
      { time: T, hash: 'anchor', moves: [move('ann', 'hot', 100_250_000n, asset)] },
      { time: T + 60, moves: [move('hot', 'bob', 100_000_000n, asset)] },
    ];
    const { candidates } = await ask(steps, { counterparty: 'hot', coin: 0, usd: 100.25 }, { services });
    expect(candidates).toMatchObject([{ wallet: 'bob', evidence: [] }]);
  });

  test('a flat fee that leaves unusual digits is one', async () => {
    const { candidates } = await askFree(paidIn(ODD), paidOut('bob', 0, ODD - NOTE / 1_000n));
    expect(candidates[0]?.evidence.map(({ family }) => family)).toEqual(['fee_fit']);
  });
});

const askDollars = async (inRaw: bigint, feeRaw: bigint) => {
  const asset = { asset: USDC };
  const steps: StoryStep[] = [
    { time: T, hash: 'anchor', moves: [move('ann', 'hot', inRaw, asset)] },
    { time: T + 60, moves: [move('hot', 'bob', inRaw - feeRaw, asset)] },
  ];
  const answer = await ask(steps, { counterparty: 'hot', coin: 0, usd: 1_234 }, { services });
  expect(answer.candidates).toMatchObject([{ wallet: 'bob' }]);
  return evidenceOf(answer);
};

test.each([
  [1_234_560_000n, 4_500_000n, []],
  [1_234_560_000n, 570_000n, []],
  [1_234_567_000n, 4_500_000n, []],
  [1_234_567_000n, 4_000_000n, ['fee_fit']],
  [1_234_567_891n, 4_500_000n, ['fee_fit']],
])(
  'of %d units of a dollar a round fee of %d tells as much as digits below it agree',
  async (inRaw, feeRaw, told) => {
    expect(await askDollars(inRaw, feeRaw)).toEqual(told);
  },
);

test.each([
  [2_345_678n, 7_037n, []],
  [29_345_678n, 88_037n, []],
  [31_345_678n, 94_037n, ['fee_fit']],
  [2_345_678_912n, 7_037_037n, ['fee_fit']],
])(
  'of %d units of a dollar a fee of %d is a round share where shares lie far apart',
  async (inRaw, feeRaw, told) => {
    expect(await askDollars(inRaw, feeRaw)).toEqual(told);
  },
);

test('a relayer’s fee is looked for among so many matches; where there are more, the answer says so', async () => {
  const fee = NOTE / 1_000n + 1n;
  const relayed: StoryStep = {
    time: T + 50,
    moves: [move('pool', 'bob', ODD - fee), move('pool', 'relayer', fee)],
  };
  const newest: StoryStep = { time: T + 90_000, moves: [move('x', 'y', NOTE)] };
  const among = (count: number) =>
    askFree(
      paidIn(ODD),
      relayed,
      newest,
      // Not by any round share, which would be a fee as services charge it.
      ...Array.from({ length: count }, (_, index) =>
        paidOut(`n${index}`, index, ODD - BigInt(index + 1) * 13_571_113_171_923n),
      ),
    );
  const few = await among(199);
  expect(few.candidates[0]).toMatchObject({ wallet: 'bob', evidence: [{ family: 'exact_amount' }] });
  expect(few).toMatchObject({ scope: 'full', detail: null });
  const many = await among(200);
  const bob = many.candidates.find(({ wallet }) => wallet === 'bob');
  expect(bob?.evidence ?? []).toEqual([]);
  expect(many).toMatchObject({
    scope: 'partial',
    detail: expect.stringContaining('some evidence may be missing'),
  });
});

describe('whoever fills his own withdrawal with transfers', () => {
  const fee = NOTE / 1_000n + 1n;
  const relayed: StoryStep = {
    time: T + 900,
    moves: [move('pool', 'bob', ODD - fee), move('pool', 'relayer', fee)],
  };
  const newest: StoryStep = { time: T + 90_000, moves: [move('x', 'y', NOTE)] };
  const traced = (token: { readonly asset?: string }) => {
    const filling = Array.from({ length: 20_000 }, (_, index) => move(`x${index}`, `y${index}`, 1n, token));
    const filled: StoryStep = {
      time: T + 60,
      moves: [...filling, move('pool', 'eve', ODD - NOTE / 500n - 1n)],
    };
    return askFree(paidIn(ODD), filled, relayed, newest);
  };

  test('of a token of his own takes no evidence from others', async () => {
    const { candidates, detail } = await traced({ asset: '0x00000000000000000000000000000000000000fa' });
    expect(candidates[0]).toMatchObject({ wallet: 'bob', evidence: [{ family: 'exact_amount' }] });
    expect(detail).toBeNull();
  });

  test('of the asset that is traced takes none either, and has the answer say that evidence may be missing', async () => {
    const { candidates, detail } = await traced({});
    expect(candidates[0]).toMatchObject({ wallet: 'bob', evidence: [{ family: 'exact_amount' }] });
    expect(detail).toContain('some evidence may be missing');
  });
});
