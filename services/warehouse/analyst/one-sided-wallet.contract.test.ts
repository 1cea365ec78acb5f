import { beforeAll, expect, test } from 'vitest';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import { questionsOf, readPage } from '../../testing/analysts-page.ts';
import { postAsAnalyst } from '../../testing/ask-analyst.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { fillSql, readDashboards } from '../../testing/investigators-panels.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { makeViews } from './make-views.ts';

const TIME = Date.UTC(2025, 8, 2, 13) / 1_000;
const [GIVER, TAKER] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`];
const SIDES = [
  { side: 'got', wallet: TAKER, entity: 'taker', balance: '2.5', flows: [5, 0] },
  { side: 'gave', wallet: GIVER, entity: 'giver', balance: '-2.5', flows: [0, 5] },
];
const questions = questionsOf(readPage());

const stage = new TableStage({ ownEngine: true });
beforeAll(async () => {
  const { writer } = stage.warehouse;
  await makeViews(stage.warehouse);
  const services = SIDES.map(({ wallet: address, entity }) => ({ chain: 'ethereum', address, entity }));
  await insertRows(
    writer,
    'service_wallets',
    services.map((row) => ({ ...row, kind: 'exchange', sequence: 1, removed: 0 })),
  );
  const price = { chain: 'ethereum', asset: 'native', day: Math.floor(TIME / 86_400), time: TIME, usd: 2 };
  await insertRows(writer, 'imported_prices', [{ ...price, source: 'a', sequence: 0, withdrawn: 0 }]);
  const movements = [{ from: GIVER, to: TAKER, asset: 'native', amountRaw: 25n * 10n ** 17n }];
  const transactions = [{ hash: '0x1', sender: 'x', movements }];
  await stage.insert([buildBlock({ chain: 'ethereum', number: 1, timeUnixSeconds: TIME, transactions })]);
});

/** The question about another wallet or service, on its chain. */
const askOf = (sql: string, { wallet, entity }: (typeof SIDES)[number]): string =>
  sql
    .replace(/'0x[0-9a-fA-F]{40}'|'[1-9A-HJ-NP-Za-km-z]{32,44}'/g, `'${wallet}'`)
    .replace(/'(murk|alder|birch|cedar)'/g, `'${entity}'`)
    .replaceAll("'solana'", "'ethereum'");

type Row = Readonly<Record<string, unknown>>;

const answerTo = async (sql: string): Promise<{ rows: readonly Row[]; numbers: readonly string[] }> => {
  const { code, text } = await postAsAnalyst(stage.warehouse, `${sql} FORMAT JSON`);
  expect(code, text).toBeNull();
  const { data, meta } = JSON.parse(text) as { data: Row[]; meta: { name: string; type: string }[] };
  const numbers = meta.filter(({ type }) => /Decimal|Float|Int/.test(type)).map(({ name }) => name);
  return { rows: data, numbers };
};

test.each(questions.flatMap((question) => SIDES.map((side) => ({ ...question, ...side }))))(
  'question $number of docs/analysts.md has each number of a wallet that only $side',
  async ({ sql, ...side }) => {
    const { rows, numbers } = await answerTo(askOf(sql, side));
    for (const row of rows) for (const name of numbers) expect(row[name], `${name} of ${sql}`).not.toBeNull();
  },
);

const panels = readDashboards().flatMap((board) =>
  board.panels.map((panel) => ({ ...panel, of: board.uid })),
);

test.each(SIDES)(
  'the panels of the dashboards have each number of a service that only $side',
  async (side) => {
    const values = { chain: 'ethereum', entity: side.entity, asset: 'native', address: side.wallet ?? '' };
    const times = { from: '2025-09-01 00:00:00', to: '2025-09-15 00:00:00' };
    let shown = 0;
    for (const { targets, title, of } of panels)
      for (const { rawSql } of targets) {
        const { rows, numbers } = await answerTo(fillSql(rawSql, { values, ...times }));
        shown += rows.length;
        for (const row of rows)
          for (const name of numbers) expect(row[name], `${of}, ${title}: ${name}`).not.toBeNull();
      }
    expect(shown).toBeGreaterThan(3);
  },
);

const sqlOf = (number: number): string => questions.find((question) => question.number === number)?.sql ?? '';

test.each(SIDES)('what a wallet holds and a service moved that only $side is right', async (side) => {
  const { rows } = await answerTo(askOf(sqlOf(5), side));
  expect(rows).toEqual([{ symbol: 'ETH', balance: side.balance }]);
  const [flows] = (await answerTo(askOf(sqlOf(11), side))).rows;
  expect(flows).toEqual({ entity: side.entity, got: side.flows[0], gave: side.flows[1] });
  for (const number of [4, 6, 10]) expect((await answerTo(askOf(sqlOf(number), side))).rows).toHaveLength(1);
});
