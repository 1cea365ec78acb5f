import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

type Figure = { name: string; value: number; met: boolean | null; details?: Record<string, number> };

/** Figures by name, without the summary that ends them. */
const figuresOf = async (program: 'evaluate' | 'bench', ...args: string[]) => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS[program], args, {});
  expect(code, stderr).toBe(0);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Figure);
  expect(lines.at(-1)).toMatchObject({ name: 'summary', figures: lines.length - 1 });
  return Object.fromEntries(lines.slice(0, -1).map((figure) => [figure.name, figure]));
};

const csv = (name: string, ...lines: string[]): string => {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
};

test('a list is compared with the labels that ship and with a list that was imported first', async () => {
  const [binance, alder] = ['0x28C6c06298d514Db089934071355E5743bf21d60', `0x${'12'.repeat(20)}`];
  const list = csv(
    'list.csv',
    'address,chain,name,kind',
    `${binance},ethereum,Binance 14,exchange`,
    `${alder},ethereum,Alder,bridge`,
    `0x${'34'.repeat(20)},ethereum,Nobody,hack`,
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq,bitcoin,Birch,exchange',
  );
  const imported = csv('more.csv', 'address,chain,name,kind,source', `${alder},ethereum,Alder,mixer,a list`);
  const figures = await figuresOf('evaluate', 'labels', '--list', list, '--import', imported);
  expect(figures).toMatchObject({
    'labels.found': { value: 2 },
    'labels.total': { value: 3 },
    'labels.refused': { value: 1 },
    'labels.coverage': { value: 0.6667 },
    'labels.same_kind_share': { value: 0.5 },
  });
});

test('deposit addresses of a generated world are found as well as they have to be', async () => {
  const found = await figuresOf('evaluate', 'deposit-addresses', '--world', '2', '--people', '20');
  expect(found).toMatchObject({
    'deposit-addresses.precision': { met: true },
    'deposit-addresses.recall': { met: true },
  });
});

test('prices of a generated world are as right as they have to be, and a seed that is none is wrong usage', async () => {
  const prices = await figuresOf('evaluate', 'prices', '--world', '2');
  expect(prices['prices.median_relative_error']).toMatchObject({ met: true });
  expect(prices['prices.answered_share']?.value).toBeGreaterThan(0.9);
  const wrong = await runProgram(PROGRAMS.evaluate, ['prices', '--world', 'four'], {});
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
});

test('benchmarks of labels and of deriving measure what they say, and refuse to measure nothing', async () => {
  // It throws unless every label that lies there was found, and nobody else's.
  const labels = await figuresOf('bench', 'labels', '--labels', '2000');
  expect(labels['labels.p99_ms']?.value).toBeGreaterThan(0);
  const derive = await figuresOf('bench', 'derive', '--transfers', '100000');
  for (const name of ['derive.transfers_per_s', 'derive.increment_over_all'])
    expect(Object.keys(derive[name]?.details ?? {})).toEqual(
      expect.arrayContaining(['deposit-addresses', 'first-funders', 'lookalikes', 'market-trades', 'prices']),
    );
  expect(await runProgram(PROGRAMS.bench, ['derive', '--transfers', '1000'], {})).toMatchObject({ code: 2 });
});

test('what cannot be measured is told in a sentence, and nothing passes for a measurement', async () => {
  const broken = join(temporaryFolder(), '7.json');
  writeFileSync(broken, '{"jsonrpc"');
  const nowhere = join(temporaryFolder(), 'nowhere');
  const refused: [program: 'bench' | 'evaluate', args: string[], code: number, sentence: RegExp][] = [
    ['bench', ['decode', '--block', temporaryFolder()], 1, /no block file is there/],
    ['bench', ['decode', '--block', nowhere], 1, /^ENOENT: .*nowhere/],
    ['bench', ['decode', '--block', broken], 1, /7\.json: .*not JSON/],
    ['bench', ['pipeline', '--blocks', temporaryFolder()], 1, /no block file is there that can be decoded/],
    ['bench', ['api', '--requests', '5'], 2, /Unknown option '--requests'/],
    ['evaluate', ['world', '--seed', ''], 2, /--seed takes a seed/],
    [
      'evaluate',
      ['labels', '--list', csv('empty.csv', 'address,chain,name,kind')],
      1,
      /empty\.csv: has no rows/,
    ],
  ];
  for (const [program, args, code, sentence] of refused) {
    const told = await runProgram(PROGRAMS[program], args, {});
    expect(told, args.join(' ')).toMatchObject({ code, stdout: '' });
    expect(told.stderr).toMatch(sentence);
    expect(told.stderr).not.toMatch(/^ +at /m);
  }
  expect(await runProgram(PROGRAMS.bench, ['ledger', '--help'], {})).toMatchObject({ code: 0, stderr: '' });
});

test('a replay is measured on a folder of EVM blocks, and all its copies are in the tables', async () => {
  const folder = temporaryFolder();
  const block = join(folder, 'base', '7');
  mkdirSync(block, { recursive: true });
  const hash = `0x${'ab'.repeat(32)}`;
  const header = { number: '0x7', hash, parentHash: `0x${'cd'.repeat(32)}`, timestamp: '0x64000000' };
  const filler = 'f'.repeat(60_000_000);
  const whole = { ...header, miner: `0x${'00'.repeat(20)}`, baseFeePerGas: '0x1', transactions: [], filler };
  writeFileSync(join(block, 'block.json'), JSON.stringify(whole));
  writeFileSync(join(block, 'receipts.json'), '[]');
  writeFileSync(join(folder, 'broken.json'), '{');
  // It throws unless each copy is a block of its own in the tables.
  const figures = await figuresOf('bench', 'pipeline', '--transfers', '2000', '--blocks', folder);
  expect(figures['pipeline.replay_over_json_parse']?.value).toBeGreaterThan(0);
});
