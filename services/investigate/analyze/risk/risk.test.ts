import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../../testing/chain-story.ts';
import { profileOf, USDC } from '../../../testing/profile-story.ts';
import type { Label } from '../../model/label.ts';
import { PUBLIC_GRANTS_MIN } from '../../victims/rules.ts';
import { levelOf, scoreOf } from './score.ts';
import { SIGNALS } from './signals.ts';

const T = 1_700_000_000;
const pay = (from: string, to: string, dollars: number, time: number): StoryStep => ({
  time,
  moves: [move(from, to, BigInt(Math.round(dollars * 1e6)), { asset: USDC })],
});
const LABELS: Record<string, Label> = {
  mix: { name: 'Mix', kind: 'mixer' },
  desk: { name: 'Desk', kind: 'exchange' },
  crook: { name: 'Crook', kind: 'hack' },
  banned: { name: 'Banned', kind: 'sanctioned' },
};
const riskOf = async (wallet: string, steps: readonly StoryStep[], labels = LABELS) =>
  (await profileOf(wallet, steps, { labels })).risk;

test('one more signal never lowers the score, and the score stays within 0 and 100', () => {
  const weighed = fc.record({
    weight: fc.double({ min: 0, max: 1, noNaN: true }),
    strength: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(weighed, { maxLength: 8 }), weighed, (fired, more) => {
      const [before, after] = [scoreOf(fired), scoreOf([...fired, more])];
      expect(after).toBeGreaterThanOrEqual(before);
      expect(before).toBeGreaterThanOrEqual(0);
      expect(after).toBeLessThanOrEqual(100);
    }),
  );
});

test('two halves leave a quarter', () => {
  expect(
    scoreOf([
      { weight: 0.5, strength: 1 },
      { weight: 1, strength: 0.5 },
    ]),
  ).toBe(75);
  expect(['none', 'low', 'medium', 'high', 'critical']).toEqual([4.9, 5, 25, 50, 80].map(levelOf));
});

test('an address of which nothing is known is unknown, and one where nothing was found is none', async () => {
  expect(await riskOf('stranger', [pay('desk', 'ann', 10, T)])).toMatchObject({
    level: 'unknown',
    score: null,
  });
  expect(await riskOf('ann', [pay('desk', 'ann', 10, T)])).toMatchObject({
    level: 'none',
    score: 0,
    reasons: [],
  });
});

test('only what has a worth was looked at: who got nothing but unpriced tokens is unknown', async () => {
  const asset = `0x${'4'.repeat(40)}`;
  const sent = [{ time: T, moves: [move('ann', 'bob', 5n, { asset })] }];
  expect(await riskOf('ann', sent)).toMatchObject({ level: 'unknown', score: null });
});

test('a sanctioned address is critical although none of its transactions is indexed', async () => {
  const risk = await riskOf('banned', [pay('desk', 'ann', 10, T)]);
  expect(risk).toMatchObject({ level: 'critical', score: 100, reasons: [{ code: 'sanctioned' }] });
});

test('each reason of exposure names the parties with their transactions, an indirect one the way', async () => {
  const steps = [pay('crook', 'ann', 60, T), pay('mix', 'mule', 40, T), pay('mule', 'ann', 40, T + 1)];
  const { reasons, level } = await riskOf('ann', steps);
  expect(reasons.map(({ code }) => code)).toEqual(['hack_direct_in', 'mixer_indirect_in']);
  expect(reasons[0]?.parties[0]).toMatchObject({
    address: 'crook',
    direct: [{ from: 'crook', to: 'ann', usd: 60 }],
  });
  expect(reasons[1]?.parties[0]?.path).toMatchObject([
    { from: 'mix', to: 'mule' },
    { from: 'mule', to: 'ann' },
  ]);
  expect(level).toBe('critical');
});

test('dust of a thief makes nobody suspicious', async () => {
  const steps = [
    pay('desk', 'star', 100_000, T),
    pay('crook', 'star', 50, T + 1),
    pay('mix', 'star', 20, T + 2),
  ];
  expect(await riskOf('star', steps)).toMatchObject({ level: 'none', score: 0 });
});

test('who paid a thief is less than who was paid by one', async () => {
  const victim = await riskOf('ann', [pay('desk', 'ann', 100, T), pay('ann', 'crook', 100, T + 1)]);
  const mule = await riskOf('ann', [pay('crook', 'ann', 100, T), pay('ann', 'desk', 100, T + 1)]);
  expect([victim.level, mule.level]).toEqual(['medium', 'critical']);
});

test('what would change the level is told: the signal, and the label that it rests on', async () => {
  const { wouldChange } = await riskOf('ann', [pay('crook', 'ann', 100, T)]);
  expect(wouldChange).toMatchObject([
    { without: { type: 'signal', code: 'hack_direct_in' }, level: 'none', score: 0 },
    { without: { type: 'label', party: { address: 'crook' } }, level: 'none', score: 0 },
  ]);
});

test('evidence that changes nothing is not told', async () => {
  const steps = [pay('crook', 'ann', 50, T), pay('banned', 'ann', 50, T + 1)];
  const { level, wouldChange } = await riskOf('ann', steps);
  expect([level, wouldChange]).toEqual(['critical', []]);
});

test('an exchange is not judged by its customers', async () => {
  expect(await riskOf('desk', [pay('crook', 'desk', 100, T)])).toMatchObject({ level: 'none', reasons: [] });
});

test('signals have codes of their own, and weights that leave room for others', () => {
  expect(new Set(SIGNALS.map(({ code }) => code)).size).toBe(SIGNALS.length);
  for (const { weight } of SIGNALS) expect(weight > 0 && weight <= 1).toBe(true);
});

test('what passes a pool or a service tells of its customers, and not of it', async () => {
  const steps = [pay('crook', 'pool', 900, T), pay('pool', 'ann', 900, T + 1)];
  const dex = { ...LABELS, pool: { name: 'Pool', kind: 'dex' } as const };
  expect(await riskOf('pool', steps, dex)).toMatchObject({ level: 'none', score: 0 });
  expect((await riskOf('pool', steps)).level).toBe('critical');
});

test('without a label money is traced on to whoever stands behind it', async () => {
  const steps = [pay('crook', 'mule', 900, T), pay('mule', 'ann', 900, T + 1)];
  const labels = { ...LABELS, mule: { name: 'Mule', kind: 'hack' } as const };
  const { level, wouldChange } = await riskOf('ann', steps, labels);
  expect(level).toBe('critical');
  expect(wouldChange).toContainEqual(
    expect.objectContaining({
      without: { type: 'label', party: expect.objectContaining({ address: 'mule' }) },
      ...{ isRetraced: true, level: 'high', score: 60 },
    }),
  );
});

const delegates = (wallet: string, code: string | null, time: number): StoryStep => ({
  ...{ time, by: 'relay' },
  controls: [{ kind: 'code_delegated', subject: wallet, holder: wallet, party: code, amountRaw: 0n }],
});
const swept = (time: number, controls: StoryStep['controls'] = []): StoryStep => ({
  ...{ time, by: 'thief', moves: [move('ann', 'thief', 70_000_000n, { asset: USDC })], controls },
});
const came = pay('desk', 'ann', 100, T);
const delegationOf = async (steps: readonly StoryStep[], labels: Record<string, Label> = LABELS) => {
  const { reasons } = await riskOf('ann', [came, ...steps], labels);
  return reasons.flatMap(({ code, strength, delegation }) =>
    code === 'delegated_to_unknown_code' ? [[strength, delegation?.code, delegation?.sweeps.length]] : [],
  );
};

test('a wallet that runs code which paid its money out without its key is at high risk', async () => {
  const story = [delegates('ann', 'sweeper', T + 1), swept(T + 2)];
  expect(await delegationOf(story)).toEqual([[1, 'sweeper', 1]]);
  const { level, reasons } = await riskOf('ann', [came, ...story]);
  expect(level).toBe('high');
  expect(reasons[0]?.detail).toContain('0 other wallets did so in indexed blocks');
});

test('code that only nobody knows is a low risk, and code on a list of thefts a high one', async () => {
  const story = [delegates('ann', 'crook', T + 1)];
  expect(await delegationOf(story, {})).toEqual([[0.25, 'crook', 0]]);
  expect(await delegationOf(story)).toEqual([[1, 'crook', 0]]);
});

test('a delegation that ended, code with a name, and code that many wallets run are no risk', async () => {
  const story = [delegates('ann', 'code', T + 1), swept(T + 2)];
  expect(await delegationOf([...story, delegates('ann', null, T + 3)])).toEqual([]);
  expect(await delegationOf(story, { code: { name: 'Wallet', kind: 'other' } })).toEqual([]);
  const many = Array.from({ length: PUBLIC_GRANTS_MIN }, (_, at) => delegates(`user ${at}`, 'code', T + 3));
  expect(await delegationOf([...story, ...many])).toEqual([]);
});

test('what the owner signed, and what a spender took, the code did not pay out', async () => {
  const acted = { kind: 'account_acted', subject: 'ann', holder: null, party: null, amountRaw: 0n } as const;
  expect(await delegationOf([delegates('ann', 'code', T + 1), swept(T + 2, [acted])])).toEqual([
    [0.25, 'code', 0],
  ]);
  const taken = move('ann', 'thief', 7n, { asset: USDC, authority: 'spender' });
  const allowed = { time: T + 2, by: 'thief', moves: [taken] };
  expect(await delegationOf([delegates('ann', 'code', T + 1), allowed])).toEqual([[0.25, 'code', 0]]);
});

test('a delegation that a missing block may have ended is not told', async () => {
  const steps = [came, delegates('ann', 'crook', T + 1), pay('desk', 'ann', 1, T + 9)];
  const { risk } = await profileOf('ann', steps, { labels: LABELS, controlSince: T + 5 });
  expect(risk.reasons).toEqual([]);
});
