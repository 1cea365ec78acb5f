import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../services/testing/temporary-folder.ts';
import { evaluation } from './mixer.ts';

const wallet = (digit: number): string => `0x${'ab'.repeat(19)}0${digit}`;
const POOL = wallet(0);
const [ANN, BEA, BOB] = [wallet(1), wallet(2), wallet(3)];
const HEADER = 'chain,pool,direction,block_number,time_unix,tx_hash,from,to,amount,fee,relayer';
const event = (
  direction: string,
  block: number | string,
  from: string,
  to: string,
  chain = 'ethereum',
): string => `${chain},${POOL},${direction},${block},,0xa${block},${from},${to},1000000000000000000,0,`;
const EVENTS = [
  event('deposit', 10, ANN, ''),
  event('deposit', 20, '', ''),
  event('withdrawal', 30, '', ANN),
  event('withdrawal', 40, '', BOB),
];
const PAIRS = [
  'evidence,pool,depositor,recipient,deposit_tx,withdrawal_tx,deposit_block,withdrawal_block',
  `same,${POOL},${ANN},${ANN},0xa10,0xa30,10,30`,
  `other,${POOL},${BEA},${BOB},0xa20,0xa40,20,40`,
];

const run = async (events: readonly string[] = EVENTS, pairs: readonly string[] = PAIRS) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'transfers.csv'), [HEADER, ...events].join('\n'));
  writeFileSync(join(folder, 'pairs.csv'), pairs.join('\n'));
  return evaluation.run(['--events', folder, '--pairs', join(folder, 'pairs.csv')]);
};

test('pairs are looked for in plain files too, and one that cannot be traced counts as not found', async () => {
  const figures = await run();
  const figureOf = (name: string, subject: string) =>
    figures.find((figure) => figure.name === `mixer.${name}` && figure.subject === subject);
  expect(figureOf('pairs', 'forward')).toMatchObject({ value: 2, details: { refused: 1 } });
  expect(figureOf('in_window_share', 'forward')).toMatchObject({ value: 1 });
  expect(figureOf('top1', 'forward')).toMatchObject({ value: 0.5 });
  expect(figureOf('pairs', 'backward')).toMatchObject({ value: 2, details: { refused: 0 } });
});

test('figures are the same on another chain, and however addresses and hashes are written', async () => {
  const figures = await run();
  const onBase = EVENTS.map((line) => line.replace('ethereum', 'base'));
  expect(await run(onBase)).toEqual(figures);
  const upper = (line: string): string =>
    line.replaceAll(/0x[0-9a-f]+/g, (hex) => `0x${hex.slice(2).toUpperCase()}`);
  expect(await run(EVENTS.map(upper))).toEqual(figures);
  expect(await run(EVENTS, [PAIRS[0] ?? '', ...PAIRS.slice(1).map(upper)])).toEqual(figures);
});

test('a block number of one chain is no time on another: each has its own events', async () => {
  const figures = await run();
  const elsewhere = [event('deposit', 15, BEA, '', 'base'), event('withdrawal', 35, '', BEA, 'base')];
  expect(await run([...EVENTS, ...elsewhere])).toEqual(figures);
});

test('a placebo says how many anchors it was made for, and how many could have been led astray', async () => {
  const others = [BEA, BOB].map((address, at) => event('withdrawal', 5 + at, '', address));
  const figures = await run([...others, ...EVENTS]);
  const placebo = figures.find(
    ({ name, subject }) => name.endsWith('false_lead_rate') && subject === 'forward',
  );
  expect(placebo).toMatchObject({
    details: { anchors: 1, with_candidates: 1, real_with_candidates: 1, real_lead_rate: 1 },
  });
});

test.each<[string, readonly string[], readonly string[], RegExp]>([
  [
    'a block that is no number',
    [...EVENTS, event('deposit', 'x', ANN, '')],
    PAIRS,
    /transfers\.csv, line 6, column block_number: x/,
  ],
  [
    'a word it does not know',
    [event('in', 10, ANN, '')],
    PAIRS,
    /transfers\.csv, line 2, column direction: in is none of/,
  ],
  [
    'a chain that is not served',
    [event('deposit', 10, ANN, '', 'nowhere')],
    PAIRS,
    /line 2, column chain: nowhere/,
  ],
  ['no pairs', EVENTS, PAIRS.slice(0, 1), /pairs\.csv: has no rows/],
  ['pairs without a block', EVENTS, ['evidence,pool', `a,${POOL}`], /pairs\.csv: has no column depositor/],
  [
    'a pair of nowhere among events of two chains',
    [...EVENTS, event('deposit', 15, BEA, '', 'base')],
    [...PAIRS, `other,${POOL},${BEA},${BOB},0xb1,0xb2,20,40`],
    /pairs\.csv, line 4, column deposit_tx: is in no event/,
  ],
  [
    'a pair whose sides are on two chains',
    EVENTS.map((line, at) => (at === 2 ? line.replace('ethereum', 'base') : line)),
    PAIRS,
    /pairs\.csv, line 2, column withdrawal_tx: is on base, and its deposit on ethereum/,
  ],
])('a history with %s is refused, saying where', async (_, events, pairs, where) => {
  await expect(run(events, pairs)).rejects.toThrow(where);
});
