import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  evidenceOf,
  GAS,
  NOTE,
  OTHER_POOL,
  POOL,
  paidOut,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import { findChain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { ROWS_PER_COUNTERPARTY, type Service } from '../model/trace-reader.ts';
import { isDust } from './dust.ts';
import { CALIBRATION } from './ranking/combine-evidence.ts';
import { COUNTERPARTIES_MAX, GO_BETWEENS_MAX } from './rules.ts';

/** A customer's deposit address at an exchange. */
const withBox = {
  services: new Map<string, Service>([POOL, ['box', { entity: 'ex', kind: 'exchange' }]]),
  labels: new Map([['box', { name: 'ex deposit', kind: 'exchange' as const }]]),
};

describe('evidence lifts its wallet above a nearer crowd, and names its transactions:', () => {
  const families = async (steps: readonly StoryStep[], wallet = 'stranger-8') => {
    const { candidates } = await ask([deposit, ...crowd, ...steps]);
    const [top, next] = candidates;
    expect(top?.wallet).toBe(wallet);
    expect(top?.confidence).toBeGreaterThan(next?.confidence ?? 1);
    return (top?.evidence ?? []).map(({ family, proofs }) => [family, ...proofs]);
  };

  test('the same wallet', async () => {
    expect(await families([{ ...paidOut('ann', T + 80_000), hash: 'own' }], 'ann')).toEqual([
      ['same_wallet', 'own'],
    ]);
  });

  test('a transfer outside the pool', async () => {
    const back: StoryStep = { time: T + 90_000, hash: 'back', moves: [move('stranger-8', 'ann', GAS)] };
    expect(await families([back])).toEqual([['direct_transfer', 'back']]);
  });

  test.each([
    ['stranger-8', 'ann', 'This wallet paid the traced one outside the service.'],
    ['ann', 'stranger-8', 'The traced wallet paid this one outside the service.'],
  ])('a transfer from %s to %s says who paid', async (from, to, detail) => {
    const { candidates } = await ask([deposit, ...crowd, { time: T + 90_000, moves: [move(from, to, GAS)] }]);
    expect(candidates[0]).toMatchObject({ wallet: 'stranger-8', evidence: [{ detail }] });
  });

  test('gas from the depositor before the withdrawal', async () => {
    const gas: StoryStep = { time: T + 10, hash: 'gas', moves: [move('ann', 'stranger-8', GAS)] };
    expect(await families([gas])).toEqual([['gas_by_depositor', 'gas']]);
  });

  test('a funder that few others have', async () => {
    const funded = ['ann', 'stranger-8'].map(
      (to, index): StoryStep => ({
        time: T - 100 + index,
        hash: `fund-${to}`,
        moves: [move('hub', to, GAS)],
      }),
    );
    expect(await families(funded)).toEqual([['shared_funder', 'fund-ann', 'fund-stranger-8']]);
  });

  test('equal counts over two pools', async () => {
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('ann', 'pool-10', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
    ];
    expect((await families(more)).map(([family]) => family)).toEqual(['equal_counts']);
  });

  test('equal counts, whatever dust either sent a pool or got of one', async () => {
    const cent = { asset: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' };
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('ann', 'pool-10', 10n * NOTE), move('ann', 'pool-10', 10_000n, cent)] },
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
      { time: T + 7_100, moves: [move('pool', 'stranger-8', 10_000n, cent)] },
    ];
    expect((await families(more)).map(([family]) => family)).toEqual(['equal_counts']);
  });

  test('but no equal counts where the candidate used another pool of the mixer, too', async () => {
    const services = new Map<string, Service>([
      POOL,
      OTHER_POOL,
      ['pool-30', { entity: 'mix', kind: 'mixer' }],
    ]);
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('ann', 'pool-10', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
    ];
    const elsewhere = { time: T + 20_000, moves: [move('pool-30', 'stranger-8', 30n * NOTE)] };
    const familiesOf = async (steps: readonly StoryStep[]) => {
      const { candidates } = await ask([deposit, ...crowd, ...steps], {}, { services });
      return candidates[0]?.evidence.map(({ family }) => family);
    };
    expect(await familiesOf(more)).toEqual(['equal_counts']);
    expect(await familiesOf([...more, elsewhere])).toEqual(['multi_pool']);
    const payers = (count: number) =>
      Array.from(
        { length: count },
        (_, index): StoryStep => ({ time: T + 7_001 + index, moves: [move(`p${index}`, 'stranger-8', GAS)] }),
      );
    expect(await familiesOf([...more, ...payers(120)])).toEqual(['equal_counts']);
    expect(await familiesOf([...more, ...payers(120), elsewhere])).toEqual(['multi_pool']);
    // More than anybody looks through: it may have.
    expect(await familiesOf([...more, ...payers(1_100)])).toEqual(['multi_pool']);
  });

  test('no counts are equal where a note came out before it went in', async () => {
    const more: StoryStep[] = [
      { time: T + 1, moves: [move('pool-10', 'stranger-8', 10n * NOTE)] },
      { time: T + 7_000, moves: [move('ann', 'pool-10', 10n * NOTE)] },
    ];
    const { candidates } = await ask([deposit, ...crowd, ...more]);
    expect(candidates.flatMap(({ evidence }) => evidence)).toEqual([]);
  });

  test('a deposit address of an exchange that both pay', async () => {
    const paying = ['ann', 'stranger-8'].map(
      (from, index): StoryStep => ({
        time: T + 20_000 + index,
        hash: `pay-${from}`,
        moves: [move(from, 'box', GAS)],
      }),
    );
    const { candidates } = await ask([deposit, ...crowd, ...paying], {}, withBox);
    expect(candidates[0]).toMatchObject({
      wallet: 'stranger-8',
      evidence: [{ family: 'shared_deposit_address', proofs: ['pay-ann', 'pay-stranger-8'] }],
    });
  });
});

describe('dust ties nobody to anybody:', () => {
  const familiesOf = async (...steps: StoryStep[]) => {
    return evidenceOf(await ask([deposit, ...crowd, ...steps]));
  };
  const DOLLAR = 1_000_000n;
  /** The gas of a transfer at a gwei. */
  const FEE = 21_000n * 10n ** 9n;

  test.each([
    ['less than a fee', FEE - 1n, undefined, []],
    ['a fee', FEE, undefined, ['gas_by_depositor']],
    ['a cent', DOLLAR / 100n, USDC, []],
    ['a dollar', DOLLAR, USDC, ['gas_by_depositor']],
  ])('%s from the depositor before the withdrawal', async (_, raw, asset, families) => {
    const moves = [move('ann', 'stranger-8', raw, asset === undefined ? {} : { asset })];
    expect(await familiesOf({ time: T - 5_000, moves })).toEqual(families);
  });

  test('from the recipient to the depositor', async () => {
    const back = (raw: bigint) => familiesOf({ time: T + 90_000, moves: [move('stranger-8', 'ann', raw)] });
    expect(await back(1n)).toEqual([]);
    expect(await back(GAS)).toEqual(['direct_transfer']);
  });

  test.each([
    [
      'a third wallet paid to both',
      (raw: bigint) => [move('hub', 'ann', raw), move('hub', 'stranger-8', raw)],
    ],
    ['to one of the two', (raw: bigint) => [move('hub', 'ann', GAS), move('hub', 'stranger-8', raw)]],
  ])('that %s', async (_, moves) => {
    expect(await familiesOf({ time: T - 5_000, moves: moves(1n) })).toEqual([]);
    expect(await familiesOf({ time: T - 5_000, moves: moves(GAS) })).toEqual(['shared_funder']);
  });

  test('nor hides the payment that comes after it', async () => {
    const dust: StoryStep = { time: T - 6_000, moves: [move('ann', 'stranger-8', 1n)] };
    const paid: StoryStep = { time: T - 5_000, moves: [move('ann', 'stranger-8', GAS)] };
    expect(await familiesOf(dust, paid)).toEqual(['gas_by_depositor']);
  });

  test('though one transaction pays somebody else in earnest', async () => {
    const moves = [move('ann', 'stranger-8', 1n), move('ann', 'shop', GAS), move('else', 'stranger-8', GAS)];
    expect(await familiesOf({ time: T - 5_000, moves })).toEqual([]);
  });

  test('and rows of a token that nobody lists, however many, make no payment beside them dust', async () => {
    const asset = '0x00000000000000000000000000000000000000fa';
    const logged = Array.from({ length: 20_001 }, (_, index) =>
      move(`x${index}`, `y${index}`, 1n, { asset }),
    );
    const funded: StoryStep[] = [
      { time: T - 9_000, moves: [move('hub', 'ann', GAS)] },
      {
        ...{ time: T - 8_000, by: 'hub' },
        moves: [move('hub', 'stranger-8', 1n), ...logged, move('hub', 'stranger-8', GAS)],
      },
    ];
    expect(await familiesOf(...funded)).toEqual(['shared_funder']);
  });

  test('on Solana, where a wallet that holds no more than a fee is none', async () => {
    const solana = findChain('solana');
    if (solana === null) throw new Error('solana is not known');
    expect(isDust(solana, NATIVE, 895_879n)).toBe(true);
    expect(isDust(solana, NATIVE, 895_880n)).toBe(false);
  });
});

describe('whom the wallet dealt with earlier hides nobody:', () => {
  const answerAfter = async (count: number, raw: bigint, payeeOf: (at: number) => string) => {
    const paid = Array.from(
      { length: count },
      (_, index): StoryStep => ({ time: T - 50_000 + index, moves: [move('ann', payeeOf(index), raw)] }),
    );
    const gas: StoryStep = { time: T - 100, moves: [move('ann', 'stranger-8', GAS)] };
    const { candidates, scope, detail } = await ask([
      ...[...paid, gas, deposit, ...crowd],
      paidOut('z', T + 90_000),
    ]);
    const families = evidenceOf({ candidates });
    return { families, scope, detail };
  };
  const known = { families: ['gas_by_depositor'], scope: 'full', detail: null };

  test('neither a few', async () => {
    expect(await answerAfter(GO_BETWEENS_MAX, GAS, (at) => `payee-${at}`)).toEqual(known);
  });

  test('nor dust to any number', async () => {
    expect(await answerAfter(COUNTERPARTIES_MAX, 1n, (at) => `payee-${at}`)).toEqual(known);
  });

  test('nor dust to one, however often', async () => {
    const often = COUNTERPARTIES_MAX * ROWS_PER_COUNTERPARTY;
    expect(await answerAfter(often, 1n, () => 'payee')).toEqual(known);
  });

  test('and more payees than are asked about who else paid them are told', async () => {
    expect(await answerAfter(GO_BETWEENS_MAX + 1, GAS, (at) => `payee-${at}`)).toEqual({
      ...{ families: known.families, scope: 'partial' },
      detail: expect.stringContaining('has more counterparties than are examined'),
    });
  });

  test('and more payees in earnest than are looked at are told', async () => {
    expect(await answerAfter(COUNTERPARTIES_MAX, GAS, (at) => `payee-${at}`)).toEqual({
      ...{ families: [], scope: 'partial' },
      detail: expect.stringContaining('has more counterparties than are examined'),
    });
  });
});

describe('a funder of both is one only where it paid', () => {
  const whoPaidAt = async (depositor: number, recipient: number, request = {}) => {
    const funded: StoryStep[] = [
      { time: depositor, moves: [move('hub', 'ann', GAS)] },
      { time: recipient, moves: [move('hub', 'stranger-8', GAS)] },
    ];
    return evidenceOf(await ask([deposit, ...crowd, ...funded], request));
  };
  // Who takes its note out last of the crowd.
  const TAKEN_OUT = T + 5_400;

  test('the depositor before the deposit', async () => {
    expect(await whoPaidAt(T - 1, TAKEN_OUT - 1)).toEqual(['shared_funder']);
    expect(await whoPaidAt(T + 1, TAKEN_OUT - 1)).toEqual([]);
  });

  test('the recipient before the withdrawal', async () => {
    expect(await whoPaidAt(T - 1, TAKEN_OUT + 1)).toEqual([]);
  });
});

test('a funder that half the chain has says nothing', async () => {
  const everybody = [
    'ann',
    ...crowd.map((_, index) => `stranger-${index}`),
    ...Array.from({ length: 30 }, (_, index) => `x${index}`),
  ];
  const faucet = everybody.map((to): StoryStep => ({ time: T - 100, moves: [move('faucet', to, GAS)] }));
  const { candidates } = await ask([deposit, ...crowd, ...faucet]);
  expect(candidates.flatMap(({ evidence }) => evidence)).toEqual([]);
});

describe('backward, gas from the depositor', () => {
  const withdrawal: StoryStep = { time: T, hash: 'anchor', moves: [move('pool', 'ann', NOTE)] };
  const deposits = crowd.map(
    (_, index): StoryStep => ({ time: T - 500 * (index + 1), moves: [move(`payer-${index}`, 'pool', NOTE)] }),
  );
  const paidAt = async (time: number, request = {}) => {
    const gas: StoryStep = { time, hash: 'gas', moves: [move('payer-2', 'ann', GAS)] };
    const { candidates } = await ask([withdrawal, ...deposits, gas], { direction: 'in', ...request });
    return candidates.find(({ wallet }) => wallet === 'payer-2')?.evidence.map(({ family }) => family);
  };

  test('is gas only where it was there when the money came out', async () => {
    expect(await paidAt(T - 50)).toEqual(['gas_by_depositor']);
    expect(await paidAt(T + 50_000)).toEqual(['direct_transfer']);
  });

  test('is measured by the time in the body where the withdrawal is not indexed', async () => {
    const unknown = { signature: 'unknown' };
    expect(await paidAt(T - 50, unknown)).toEqual(['gas_by_depositor']);
    expect(await paidAt(T + 50_000, unknown)).toEqual(['direct_transfer']);
  });
});

describe('an exchange’s deposit address that both pay is seen', () => {
  const both = ['ann', 'stranger-8'].map(
    (from, index): StoryStep => ({ time: T + 20_000 + index, moves: [move(from, 'box', GAS)] }),
  );
  const others = (side: (other: string) => StoryStep['moves']): StoryStep[] =>
    Array.from({ length: 150 }, (_, index) => ({
      time: T - 9_000 + index,
      moves: side(`other-${index}`) ?? [],
    }));
  const found = async (steps: readonly StoryStep[]) => {
    const { candidates } = await ask([deposit, ...crowd, ...both, ...steps], {}, withBox);
    return candidates[0]?.evidence.map(({ family }) => family);
  };

  test('behind a hundred funders', async () => {
    const funded = others((other) => [move(other, 'ann', GAS)]);
    expect(await found(funded)).toEqual(['shared_deposit_address']);
  });

  test('behind a hundred payees whom nobody knows', async () => {
    const paying = others((other) => [move('ann', other, GAS)]);
    expect(await found(paying)).toEqual(['shared_deposit_address']);
  });
});

test('evidence that was found to say nothing is not listed', async () => {
  const both = ['ann', 'stranger-8'].map(
    (from, index): StoryStep => ({ time: T + 20_000 + index, moves: [move(from, 'shop', GAS)] }),
  );
  const listedAt = async (weight: number) => {
    const calibration = { ...CALIBRATION, weights: { 'shared_payee.strong': weight } };
    return evidenceOf(await ask([deposit, ...crowd, ...both], {}, { calibration }));
  };
  expect(await listedAt(1)).toEqual(['shared_payee']);
  expect(await listedAt(0)).toEqual([]);
});
