import { writeFileSync } from 'node:fs';
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
