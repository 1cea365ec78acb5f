import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bench as api } from '../../../scripts/bench/api.ts';
import { bench as decode } from '../../../scripts/bench/decode.ts';
import { bench as derive } from '../../../scripts/bench/derive.ts';
import type { Bench } from '../../../scripts/bench/figure.ts';
import { bench as pipeline } from '../../../scripts/bench/pipeline.ts';
import { failureOf } from '../../../scripts/bench/run-chosen.ts';
import { evaluation as labels } from '../../../scripts/evaluate/labels.ts';
import { evaluation as prices } from '../../../scripts/evaluate/prices.ts';
import { figuresOf } from '../../testing/figures-of.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';

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

test('a benchmark measures what it says', async () => {
  // It throws unless every label that lies there was found, and nobody else's.
  const figures = await figuresOf('bench', 'labels', '--labels', '2000');
  expect(figures['labels.p99_ms']?.value).toBeGreaterThan(0);
});

test('what cannot be measured is told in a sentence, and nothing passes for a measurement', async () => {
  const broken = join(temporaryFolder(), '7.json');
  writeFileSync(broken, '{"jsonrpc"');
  const nowhere = join(temporaryFolder(), 'nowhere');
  const refused: [measurement: Bench, args: string[], code: number, sentence: RegExp][] = [
    [decode, ['--block', temporaryFolder()], 1, /no block file is there/],
    [decode, ['--block', broken], 1, /7\.json: .*not JSON/],
    [pipeline, ['--blocks', temporaryFolder()], 1, /no block file is there that can be decoded/],
    [derive, ['--transfers', '1000'], 2, /--transfers/],
    [api, ['--requests', '5'], 2, /Unknown option '--requests'/],
    [prices, ['--world', 'four'], 2, /./],
    [labels, ['--list', csv('empty.csv', 'address,chain,name,kind')], 1, /empty\.csv: has no rows/],
  ];
  for (const [measurement, args, code, sentence] of refused) {
    const told = await measurement.run(args).then(
      () => null,
      (error: unknown) => failureOf(error, ''),
    );
    expect(told, args.join(' ')).toEqual({ code, text: expect.stringMatching(sentence) });
    expect(told?.text).not.toMatch(/^ +at /m);
  }
  const started: [program: 'bench' | 'evaluate', args: string[], code: number, sentence: RegExp][] = [
    ['bench', ['decode', '--block', nowhere], 1, /^ENOENT: .*nowhere/],
    ['evaluate', ['world', '--seed', ''], 2, /--seed takes a seed/],
  ];
  for (const [program, args, code, sentence] of started) {
    const told = await runProgram(PROGRAMS[program], args, {});
    expect(told, args.join(' ')).toMatchObject({ code, stdout: '' });
    expect(told.stderr).toMatch(sentence);
    expect(told.stderr).not.toMatch(/^ +at /m);
  }
  expect(await runProgram(PROGRAMS.bench, ['ledger', '--help'], {})).toMatchObject({ code: 0, stderr: '' });
});
