import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { ETHER, profileOf, USDC } from '../../testing/profile-story.ts';
import type { Label } from '../model/label.ts';
import type { Profile } from './profile.ts';

const T = 1_500_000_000;
const DAY = 86_400;
const TOKEN = `0x${'4'.repeat(40)}`;
const ALIKE = ['0', '1'].map((digit) => `0xabc${digit.repeat(33)}beef`);
const WALLETS = ['ann', 'bob', 'cyd', 'hub', 'mix', 'desk', ...ALIKE];
const LABELS: Record<string, Label> = {
  mix: { name: 'Mix', kind: 'mixer' },
  desk: { name: 'Desk', kind: 'exchange' },
};

const wallet = fc.constantFrom(...WALLETS);
const control = (kind: 'frozen' | 'thawed' | 'authority_changed' | 'contract_created', holder: string) => ({
  ...{ kind, subject: kind === 'frozen' || kind === 'thawed' ? USDC : TOKEN, holder },
  ...{ party: kind === 'authority_changed' ? 'ann' : 'issuer', asset: null, amountRaw: 0n, emitter: null },
  ...{ detail: kind === 'authority_changed' ? 'mint' : null, byHolder: true },
});
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(wallet, wallet, fc.bigInt(1n, 50n))
      .map(([from, to, sum]) => ({ moves: [move(from, to, sum * ETHER)] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(wallet, wallet, fc.bigInt(1n, 50n))
      .map(([from, to, sum]) => ({ moves: [move(from, to, sum, { asset: TOKEN })] })),
  },
  {
    weight: 2,
    arbitrary: wallet.map((to) => ({
      moves: [move(null, to, 100n, { asset: TOKEN, kind: 'mint' as const })],
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'frozen' as const,
          'thawed' as const,
          'authority_changed' as const,
          'contract_created' as const,
        ),
        wallet,
      )
      .map(([kind, holder]) => ({ by: 'issuer', controls: [control(kind, holder)] })),
  },
);
type Step = { readonly step: StoryStep; readonly isMissing: boolean };
const creates = ({ step: { controls = [] } }: Step): boolean =>
  controls.some(({ kind }) => kind === 'contract_created');
const names = ({ step: { moves = [], controls = [] } }: Step): boolean =>
  moves.some(({ asset }) => asset === TOKEN) || controls.some(({ subject }) => subject === TOKEN);

/** A contract is created once, and does nothing before. */
const inOrder = (steps: readonly Step[]): readonly Step[] => {
  const born = steps.findIndex(creates);
  return steps.filter((each, at) => at === born || (!creates(each) && (at > born || !names(each))));
};

/** Seconds from one step to the next. */
const pause = fc.constantFrom(12, 3_600, 2 * DAY, 100 * DAY, 200 * DAY);
/** Often none is missing behind the first few, so that something can be told. */
const isMissing = fc.nat(4).map((one) => one === 0);
const world = fc.array(fc.tuple(step, pause, isMissing), { minLength: 4, maxLength: 14 }).map((steps) => {
  let time = T;
  const told = steps.map(([what, seconds, missing]) => {
    time += seconds;
    return { step: { time, ...what } as StoryStep, isMissing: missing };
  });
  return inOrder(told);
});

const CAVEAT = /Seen only in indexed blocks|No transaction of it is indexed/;
const isSaid = (text: string | null): boolean => text !== null && CAVEAT.test(text);
const show = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each));

/** The facts of a profile that the whole history contradicts and that do not say what they were seen in. */
const contradictions = (part: Profile, whole: Profile): string[] => {
  const found: string[] = [];
  const same = (name: string, told: unknown, is: unknown): void => {
    if (told !== null && show(told) !== show(is)) found.push(`${name}: ${show(told)}, is ${show(is)}`);
  };
  const among = (name: string, told: readonly unknown[], is: readonly unknown[]): void => {
    const known = new Set(is.map(show));
    for (const each of told) if (!known.has(show(each))) found.push(`${name}: ${show(each)}`);
  };
  const fundersOf = (of: Profile['funding']) =>
    of?.steps.map(({ funder, wallet: paid }) => [funder, paid]) ?? [];
  if (!isSaid(part.funding?.seenIn ?? null))
    among('funding', fundersOf(part.funding), fundersOf(whole.funding));
  if (!isSaid(part.activity?.seenIn ?? null)) same('activity', part.activity, whole.activity);
  const behavioursOf = ({ behaviours }: Profile) => behaviours.map(({ name, detail }) => [name, detail]);
  among(
    'behaviour',
    behavioursOf(part).filter(([, detail]) => !isSaid(detail ?? null)),
    behavioursOf(whole),
  );
  // Silence across a gap is never told, with or without a caveat.
  const sleeps = ({ behaviours }: Profile) =>
    behaviours.map(({ name }) => name).filter((name) => name === 'sleeper');
  among('sleeper', sleeps(part), sleeps(whole));
  const alikeOf = ({ lookalikes }: Profile) => lookalikes.map(({ role, address, of }) => [role, address, of]);
  if (part.lookalikes.every(({ seenIn }) => !isSaid(seenIn)))
    among('look-alike', alikeOf(part), alikeOf(whole));
  const held = ({ balances }: Profile) =>
    balances.flatMap(({ asset, amountRaw }) => (amountRaw === null ? [] : [[asset, amountRaw]]));
  among('balance', held(part), held(whole));
  same(
    'frozen',
    part.frozen?.map(({ asset }) => asset) ?? null,
    whole.frozen?.map(({ asset }) => asset),
  );
  if (!isSaid(part.risk.basis.detail))
    same('risk', part.risk.level === 'unknown' ? null : part.risk.level, whole.risk.level);
  const predicted = part.identity.predicted;
  if (predicted !== null && !isSaid(predicted.why)) same('predicted', predicted, whole.identity.predicted);
  const { token } = part;
  same('supply', token?.supplyRaw ?? null, whole.token?.supplyRaw);
  same('holders', token?.holders ?? null, whole.token?.holders);
  same('creator', token?.creator?.address ?? null, whole.token?.creator?.address);
  same('launch', token?.launch?.signature ?? null, whole.token?.launch?.signature);
  among('top', token?.top ?? [], whole.token?.top ?? []);
  const { status, address } = token?.mintAuthority ?? { status: 'unknown', address: null };
  const is = whole.token?.mintAuthority;
  if (status !== 'unknown') same('mint authority', [status, address], [is?.status, is?.address]);
  same('program seen', part.program?.firstSeen ?? null, whole.program?.firstSeen);
  return found;
};

test('without some blocks no profile tells a fact that the whole world contradicts, unless it says what it was seen in', async () => {
  let told = 0;
  const claims = { [TOKEN]: { symbol: 'T', decimals: 0 } };
  await fc.assert(
    fc.asyncProperty(world, async (steps) => {
      const all = steps.map((each) => each.step);
      const kept = steps.filter(({ isMissing }) => !isMissing).map((each) => each.step);
      const last = steps.findLast(({ isMissing }) => isMissing)?.step.time;
      const missingSince = steps.find(({ isMissing }) => isMissing)?.step.time;
      const since =
        last === undefined ? {} : { indexedSince: last + 1, controlSince: last + 1, missingSince };
      for (const address of [...WALLETS, TOKEN]) {
        const whole = await profileOf(address, all, { labels: LABELS, claims });
        const part = await profileOf(address, kept, { labels: LABELS, claims, ...since });
        expect(contradictions(part, whole), `${address}, without blocks up to ${last}`).toEqual([]);
        // What is whole loses nothing.
        if (last === undefined) expect(show(part)).toBe(show(whole));
        told += part.behaviours.length + (part.funding === null ? 0 : 1) + (part.token?.supplyRaw ? 1 : 0);
      }
    }),
    { numRuns: 150 },
  );
  expect(told).toBeGreaterThan(100);
}, 60_000);
