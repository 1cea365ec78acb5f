import { describe, expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import {
  askTrace as ask,
  crowd,
  deposit,
  evidenceOf,
  GAS,
  NOTE,
  POOL,
  T,
  USDC,
} from '../../testing/trace-story.ts';
import type { Label } from '../model/label.ts';
import type { Service } from '../model/trace-reader.ts';

describe('through whom everybody’s money passes nobody is tied:', () => {
  const EX: Service = { entity: 'ex', kind: 'exchange' };
  const both = (moveOf: (wallet: string) => ReturnType<typeof move>, time: number): StoryStep[] =>
    ['ann', 'stranger-8'].map((wallet, index) => ({ time: time + index, moves: [moveOf(wallet)] }));
  const evidenceThrough = async (steps: readonly StoryStep[], hub: Label, services = new Map([POOL])) => {
    const known = { services, labels: new Map([['hub', hub]]) };
    return evidenceOf(await ask([deposit, ...crowd, ...steps], {}, known));
  };

  test.each([
    ['dex', []],
    ['bridge', []],
    ['contract', []],
    ['hack', ['shared_funder']],
    ['other', ['shared_funder']],
  ] as const)('who is labelled as %s funds both', async (kind, families) => {
    const funded = both((wallet) => move('hub', wallet, GAS), T - 100);
    expect(await evidenceThrough(funded, { name: 'Known', kind })).toEqual(families);
  });

  test('a contract that both pay', async () => {
    const paid = both((wallet) => move(wallet, 'hub', GAS), T + 20_000);
    expect(await evidenceThrough(paid, { name: 'Known', kind: 'contract' })).toEqual([]);
    expect(await evidenceThrough(paid, { name: 'Known', kind: 'other' })).toEqual(['shared_payee']);
  });

  test.each([
    ['Ex: Hot Wallet 3', []],
    ['Ex 14', []],
    ['Ex: Depot', []],
    ['Ex: Dep 0x12', ['shared_deposit_address']],
    ['ex deposit', ['shared_deposit_address']],
  ])('a wallet of an exchange that both pay, if it is no deposit address: %s', async (name, families) => {
    const paid = both((wallet) => move(wallet, 'hub', GAS), T + 20_000);
    const services = new Map<string, Service>([POOL, ['hub', EX]]);
    expect(await evidenceThrough(paid, { name, kind: 'exchange' }, services)).toEqual(families);
  });

  test.each([
    ['exchange', []],
    ['contract', []],
    ['hack', ['gas_by_depositor', 'shared_funder']],
  ] as const)('the traced wallet itself, labelled as %s', async (kind, families) => {
    const paid: StoryStep = { time: T - 900, moves: [move('ann', 'stranger-8', GAS)] };
    const funded = both((wallet) => move('hub', wallet, GAS), T - 100);
    const known = { labels: new Map([['ann', { name: 'Known', kind }]]) };
    expect(evidenceOf(await ask([deposit, ...crowd, paid, ...funded], {}, known))).toEqual(families);
  });
});

describe('what was not the payee’s to keep ties nobody, whoever is labelled:', () => {
  const dollars = { asset: USDC };
  const DOLLARS = 40_000_000n;
  const familiesAfter = async (...steps: StoryStep[]) => {
    return evidenceOf(await ask([...crowd, ...steps]));
  };
  const used = (...moves: StoryStep['moves'] & {}): StoryStep => ({ time: T - 900, moves });
  const through = (from: string, time: number, hash = `${from}-${time}`): StoryStep => ({
    ...{ time, hash },
    moves: [move(from, 'helper', NOTE), move('helper', 'pool', NOTE)],
  });

  test('a contract that brings notes into the pool and takes others’ out', async () => {
    const taken: StoryStep = {
      time: T + 5_000,
      moves: [move('pool', 'helper', NOTE), move('helper', 'zed', NOTE)],
    };
    expect(await familiesAfter(through('ann', T, 'anchor'), taken)).toEqual([]);
  });

  test('a contract that is traced itself, though it takes out others’ notes as well', async () => {
    const story = (swapped: StoryStep['moves'] & {} = []): StoryStep[] => [
      { ...through('ann', T, 'anchor'), moves: [...(through('ann', T).moves ?? []), ...swapped] },
      { time: T + 5_000, moves: [move('pool', 'helper', NOTE), move('helper', 'zed', NOTE)] },
      ...crowd,
    ];
    const found = async (steps: readonly StoryStep[]) => {
      const { candidates } = await ask(steps, { wallet: 'helper' });
      const { sameWallet, evidence } = candidates.find(({ wallet }) => wallet === 'helper') ?? {};
      return { sameWallet, families: evidence?.map(({ family }) => family) };
    };
    expect(await found(story())).toEqual({ sameWallet: true, families: [] });
    // What it bought with dollars of its own and paid in at once is its own.
    const own = { sameWallet: true, families: ['same_wallet'] };
    expect(await found(story([move('helper', 'ann', DOLLARS, dollars)]))).toEqual(own);
  });

  test('nor one that is traced back', async () => {
    const steps: StoryStep[] = [
      { ...through('helper', T - 900), moves: [move('helper', 'pool', NOTE)] },
      { time: T, hash: 'anchor', moves: [move('pool', 'helper', NOTE), move('helper', 'zed', NOTE)] },
    ];
    const { candidates } = await ask(steps, { wallet: 'helper', direction: 'in' });
    expect(candidates).toMatchObject([{ wallet: 'helper', sameWallet: true, evidence: [] }]);
  });

  test('a contract through which two paid in', async () => {
    expect(await familiesAfter(through('ann', T, 'anchor'), through('stranger-8', T - 900))).toEqual([]);
  });

  test.each([
    ['of each other', [move('ann', 'stranger-8', GAS), move('stranger-8', 'ann', DOLLARS, dollars)]],
    [
      'of one exchange of tokens',
      ['ann', 'stranger-8'].flatMap((who) => [
        ...[move(who, `pair-${who}`, DOLLARS, dollars), move(`pair-${who}`, 'router', GAS)],
        move('router', who, GAS),
      ]),
    ],
    [
      'of one pair',
      ['ann', 'stranger-8'].flatMap((who) => [move(who, 'pair', DOLLARS, dollars), move('pair', who, GAS)]),
    ],
  ])('two who bought coins %s', async (_, moves) => {
    expect(await familiesAfter(deposit, used(...moves))).toEqual([]);
  });

  test('though rows of a token that nobody lists, without end, stand before what came back', async () => {
    const asset = '0x00000000000000000000000000000000000000fa';
    const logged = Array.from({ length: 20_001 }, (_, index) =>
      move(`x${index}`, `y${index}`, 1n, { asset }),
    );
    const exchanged = [
      move('ann', 'stranger-8', GAS),
      ...logged,
      move('stranger-8', 'ann', DOLLARS, dollars),
    ];
    expect(await familiesAfter(deposit, used(...exchanged))).toEqual([]);
  });

  test('but a payment of which some came back as change, or beside which dust did, is one', async () => {
    const change = [move('ann', 'stranger-8', 3n * GAS), move('stranger-8', 'ann', GAS)];
    const dust = [move('ann', 'stranger-8', GAS), move('stranger-8', 'ann', 10_000n, dollars)];
    for (const moves of [change, dust]) {
      expect(await familiesAfter(deposit, used(...moves))).toContain('gas_by_depositor');
    }
  });

  test('and so is one into a deposit address that sweeps at once', async () => {
    const EX: Service = { entity: 'ex', kind: 'exchange' };
    const services = new Map<string, Service>([POOL, ['box', EX], ['hot', EX]]);
    const labels = new Map([['box', { name: 'ex deposit', kind: 'exchange' as const }]]);
    const swept = ['ann', 'stranger-8'].map(
      (from, index): StoryStep => ({
        time: T + 20_000 + index,
        moves: [move(from, 'box', GAS), move('box', 'hot', GAS)],
      }),
    );
    const { candidates } = await ask([deposit, ...crowd, ...swept], {}, { services, labels });
    expect(candidates[0]).toMatchObject({
      wallet: 'stranger-8',
      evidence: [{ family: 'shared_deposit_address' }],
    });
  });
});
