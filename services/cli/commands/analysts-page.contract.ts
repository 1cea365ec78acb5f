import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillPage, PAGE, questionsOf, readPage } from '../../testing/analysts-page.ts';
import { askAnalyst, postAsAnalyst } from '../../testing/ask-analyst.ts';
import { fillSql, readDashboards } from '../../testing/investigators-panels.ts';
import type { WorldOne } from '../../testing/world-one.ts';
import { VIEWS } from '../../warehouse/analyst/views.ts';

/** Set to write what world 1 answers into the page, in place of comparing it. */
const WRITES = process.env.SPOOR_WRITE_EXAMPLES === '1';
const questions = questionsOf(readPage());

const FORMAT = `FORMAT PrettySpaceNoEscapes SETTINGS output_format_pretty_row_numbers = 0,
  output_format_pretty_single_large_number_tip_threshold = 0, output_format_pretty_max_value_width = 200`;

const answerTo = async (world: WorldOne, sql: string): Promise<string> => {
  const { code, text } = await postAsAnalyst(world, `${sql} ${FORMAT}`);
  expect(code, text).toBeNull();
  const lines = text.split('\n').map((line) => line.trimEnd());
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
};

/** Tables that grow with a chain: whoever reads one whole waits. Each with the columns of its key behind the chain. */
const LARGE: Readonly<Record<string, readonly string[]>> = {
  transfers: ['block_number'],
  transactions: ['hash_key'],
  account_entries: ['address'],
  service_entries: ['entity'],
  control_entries: ['address'],
  swaps: ['owner'],
};

type Read = { readonly table: string; readonly keys: string; readonly granules: string };

/** What a plan says of each table that it reads: the columns of the key that were used, and how much of it was read. */
const readsOf = (plan: string): Read[] =>
  plan
    .split('ReadFromMergeTree (')
    .slice(1)
    .map((part) => {
      const table = /^\w+\.(\w+)\)/.exec(part)?.[1] ?? '';
      const key = /PrimaryKey\n([\s\S]*?)Granules: (\S+)/.exec(part);
      return { table, keys: /Condition: .*/.exec(key?.[1] ?? '')?.[0] ?? '', granules: key?.[2] ?? '' };
    });

const readsBy = async (world: WorldOne, sql: string): Promise<Read[]> => {
  const lines = await askAnalyst(world, `EXPLAIN indexes = 1 ${sql}`);
  return readsOf(
    lines
      .flat()
      .join('\n')
      .replaceAll(/[│├└─]/g, ' '),
  );
};

const expectKeys = (reads: readonly Read[], of: string): void => {
  for (const { table, keys, granules } of reads)
    for (const column of LARGE[table] ?? [])
      expect(keys, `${of}: ${table}, ${granules} granules`).toContain(column);
};

/** What an investigator chooses of what a dashboard offers; elsewhere the first. */
const CHOSEN: Readonly<Record<string, readonly string[]>> = {
  chain: ['ethereum'],
  entity: ['murk', 'cedar'],
  asset: ['native'],
};

/** Of world 1, once all is there that is derived from it. */
export const testAnalystsPage = (world: () => WorldOne): void => {
  test('docs/analysts.md asks twenty questions, and world 1 answers them as it says', async () => {
    expect(questions.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
    const answers: string[] = [];
    for (const { sql } of questions) answers.push(await answerTo(world(), sql));
    // A heading alone would be no answer.
    for (const [at, answer] of answers.entries())
      expect(answer.split('\n').length, questions[at]?.title).toBeGreaterThan(2);
    const filled = fillPage(readPage(), answers, VIEWS);
    if (WRITES) writeFileSync(PAGE, filled);
    else expect(readPage()).toBe(filled);
  }, 120_000);

  describe('the key is used', () => {
    test.each(questions)('by question $number', async ({ sql }) => {
      const reads = await readsBy(world(), sql);
      expect(reads.length).toBeGreaterThan(0);
      expectKeys(reads, sql);
      const driving = reads.filter(({ keys }) => keys !== '' && !keys.endsWith('true'));
      expect(driving.length).toBeGreaterThan(0);
    });

    test('and a question that names no key would be seen', async () => {
      const reads = await readsBy(world(), "SELECT count() FROM hops WHERE counterparty = 'x'");
      const [entries] = reads.filter(({ table }) => table === 'account_entries');
      expect(entries?.keys).not.toContain('address');
    });
  });

  describe.each(readDashboards())('the dashboard $uid', ({ templating, panels }) => {
    const from = '2025-09-01 00:00:00';
    const to = '2025-09-15 00:00:00';

    test('offers values, and each of its panels shows something of them', async () => {
      const values: Record<string, string> = {};
      for (const { name, query } of templating?.list ?? []) {
        const offered = (await askAnalyst(world(), fillSql(query, { values, from, to }))).flat().map(String);
        const chosen = CHOSEN[name]?.find((value) => offered.includes(value)) ?? offered[0];
        if (chosen === undefined || (CHOSEN[name] && !CHOSEN[name].includes(chosen)))
          throw new Error(`${name} is none of ${offered}`);
        values[name] = chosen;
      }
      expect(Object.keys(values).length).toBeGreaterThan(1);
      for (const { title, targets } of panels)
        for (const { rawSql } of targets) {
          const sql = fillSql(rawSql, { values, from, to });
          expect(sql).not.toMatch(/\$/);
          expect((await askAnalyst(world(), sql)).length, title).toBeGreaterThan(0);
          expectKeys(await readsBy(world(), sql), title);
        }
    }, 300_000);
  });
};
