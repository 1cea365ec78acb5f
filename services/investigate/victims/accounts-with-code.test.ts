import { expect, test } from 'vitest';
import type { ControlPlan } from '../../testing/build-block.ts';
import type { StoryStep } from '../../testing/chain-story.ts';
import { askVictims as ask, pays, T, told, usdc } from '../../testing/victims-story.ts';
import { HOLDERS_ASKED_MAX, PUBLIC_GRANTS_MIN } from './rules.ts';
import type { VictimsReport } from './victims-report.ts';

const delegates = (at: number, wallet: string, code: string | null): StoryStep => ({
  ...{ time: T + at, by: 'relay' },
  controls: [{ kind: 'code_delegated', subject: wallet, holder: wallet, party: code, amountRaw: 0n }],
});
/** Another sends the transaction in which the account's code pays. */
const swept = (at: number, from: string, by: string, controls: readonly ControlPlan[] = []): StoryStep => ({
  ...{ time: T + at, by, moves: [usdc(from, 'thief', 70n)] },
  controls: [...controls],
});
const open = ({ revocable }: VictimsReport) =>
  revocable.map(({ kind, holder, hand }) => [kind, holder, hand]);
const othersOf = ({ others }: VictimsReport) =>
  others.map(({ address, reason, usd }) => [address, reason, usd]);

test('a wallet whose delegated code pays the thief is a victim, and its delegation is still open', async () => {
  const story = [pays(0, 'shop', 'ann', 900n), delegates(1, 'ann', 'sweeper'), swept(2, 'ann', 'thief')];
  const report = await ask(story);
  expect(told(report)).toEqual([['ann', 'code 70']]);
  expect(open(report)).toEqual([['code', 'ann', 'sweeper']]);
  expect(report.others).toEqual([]);
  // Whoever delegated to the same code is in danger, too; who took it back is not.
  const more = await ask([...story, delegates(3, 'bea', 'sweeper'), delegates(4, 'ann', 'wallet code')]);
  expect([told(more), open(more)]).toEqual([[['ann', 'code 70']], [['code', 'bea', 'sweeper']]]);
  const withdrawn = await ask([...story, delegates(3, 'ann', null)]);
  expect([told(withdrawn), open(withdrawn)]).toEqual([[['ann', 'code 70']], []]);
});

test('what another paid such a wallet, and its code sent on at once, was the wallet’s', async () => {
  const passed = (at: number): StoryStep => ({
    ...{ time: T + at, by: 'desk' },
    moves: [usdc('desk', 'ann', 30n), usdc('ann', 'thief', 30n)],
  });
  const report = await ask([delegates(1, 'ann', 'sweeper'), passed(2)]);
  expect([told(report), report.others]).toEqual([[['ann', 'code 30']], []]);
  // Without the delegation it is a contract, through which the desk paid.
  expect(told(await ask([passed(2)]))).toEqual([['desk', 'transfer 30']]);
});

test('who had delegated nothing yet, or no longer, is a contract like others', async () => {
  for (const [before, after] of [
    [[], [delegates(3, 'ann', 'sweeper')]],
    [[delegates(0, 'ann', 'sweeper'), delegates(1, 'ann', null)], []],
  ] as const) {
    const report = await ask([...before, swept(2, 'ann', 'thief'), ...after]);
    expect([told(report), othersOf(report), open(report)]).toEqual([[], [['ann', 'contract', 70]], []]);
  }
});

test('code to which many wallets delegate does what their keys sign, and is nobody’s to revoke', async () => {
  const many = Array.from({ length: PUBLIC_GRANTS_MIN }, (_, at) =>
    delegates(at, `user ${at}`, 'wallet code'),
  );
  const report = await ask([...many, delegates(900, 'ann', 'wallet code'), swept(1_000, 'ann', 'bundler')]);
  expect([told(report), open(report)]).toEqual([[['ann', 'transfer 70']], []]);
});

test('of code to which others delegated, too, only the payer’s own delegation is told of', async () => {
  const few = ['u', 'v', 'w'].map((user, at) => delegates(at, user, 'wallet code'));
  const report = await ask([...few, delegates(9, 'ann', 'wallet code'), swept(10, 'ann', 'bundler')]);
  expect(open(report)).toEqual([['code', 'ann', 'wallet code']]);
});

test('what a multisignature wallet or an ERC-4337 account paid, its owners had signed', async () => {
  const acted = { kind: 'account_acted', subject: 'safe', holder: null, party: null, amountRaw: 0n } as const;
  const report = await ask([swept(1, 'safe', 'bundler', [acted]), swept(2, 'safe', 'bundler')]);
  expect(told(report)).toEqual([['safe', 'transfer 70']]);
  // An act in another transaction allows nothing in this one.
  const other = await ask([swept(1, 'safe', 'bundler'), { time: T + 2, by: 'bundler', controls: [acted] }]);
  expect([told(other), othersOf(other)]).toEqual([[], [['safe', 'contract', 70]]]);
});

test('what many payers signed is one query, what they delegated another, and each has its own', async () => {
  const acted = { kind: 'account_acted', holder: null, party: null, amountRaw: 0n } as const;
  const steps = Array.from({ length: HOLDERS_ASKED_MAX }, (_, at) =>
    swept(at + 1, `safe ${at}`, 'bundler', at % 2 === 0 ? [{ ...acted, subject: `safe ${at}` }] : []),
  );
  const asked: (readonly [string, number])[] = [];
  const report = await ask(steps, { onEvents: (...query) => asked.push(query) });
  expect(asked.toSorted()).toEqual([
    ['account_acted', HOLDERS_ASKED_MAX],
    ['code_delegated', HOLDERS_ASKED_MAX],
  ]);
  const expected = steps.flatMap((_, at) => (at % 2 === 0 ? [[`safe ${at}`, 'transfer 70']] : []));
  expect(told(report).toSorted()).toEqual(expected.toSorted());
});

test('what contracts paid is told and counted apart from losses', async () => {
  const report = await ask([
    pays(1, 'ann', 'thief', 100n),
    swept(2, 'vault', 'thief'),
    swept(3, 'pool', 'thief'),
  ]);
  expect(report.totals).toMatchObject({ victims: 1, usd: 100, others: 2, contracts: 2, contractsUsd: 140 });
  const none = await ask([pays(1, 'ann', 'thief', 100n)]);
  expect(none.totals).toMatchObject({ contracts: 0, contractsUsd: 0 });
});

test('the answer says when more payers with code paid than were looked at', async () => {
  const few = Array.from({ length: HOLDERS_ASKED_MAX }, (_, at) => swept(at + 1, `vault ${at}`, 'bundler'));
  expect((await ask(few)).gaps).toEqual([]);
  const { gaps, scope } = await ask([...few, swept(900, 'vault', 'bundler')]);
  expect([gaps.map((gap) => gap.slice(0, 35)), scope]).toEqual([
    ['Only 50 of 51 payers with code were'],
    'partial',
  ]);
});
