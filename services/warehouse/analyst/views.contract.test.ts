import fc from 'fast-check';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { createRandom } from '../../demo-world/random.ts';
import { presentAddress } from '../../investigate/model/address.ts';
import { toWholeUnits } from '../../investigate/model/amount.ts';
import { isStablecoin, knownDecimals } from '../../investigate/model/asset.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';
import { type AssertedLabel, LABEL_KINDS } from '../../investigate/model/label.ts';
import { MOVEMENT_KINDS, NATIVE } from '../../investigate/model/movement.ts';
import { describeLabels } from '../../labels/rules/choose-label.ts';
import { insertRows } from '../../platform/warehouse-engine/insert-rows.ts';
import { askAnalyst, postAsAnalyst } from '../../testing/ask-analyst.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { blockOf } from '../../testing/sink-stage.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { createPriceReader } from '../read/assets/price.ts';
import { makeViews } from './make-views.ts';
import { VIEWS } from './views.ts';

const HOUR = 3_600;
const START = 1_756_684_800;

const stage = new TableStage({ ownEngine: true });
beforeAll(() => makeViews(stage.warehouse));
beforeEach(() => stage.empty());

const ask = (query: string) => askAnalyst(stage.warehouse, query);
const chainOf = (name: string): Chain => {
  const chain = findChain(name);
  if (!chain) throw new Error(`${name} is no chain`);
  return chain;
};

test('every view and every column says what it is, and DESCRIBE shows it', async () => {
  const tables = await ask('SELECT name, comment FROM system.tables WHERE database = currentDatabase()');
  expect(tables.map(([name]) => name).toSorted()).toEqual(VIEWS.map(({ name }) => name).toSorted());
  for (const [name, comment] of tables) expect(comment, String(name)).not.toBe('');
  const columns = await ask(
    'SELECT table, name, comment FROM system.columns WHERE database = currentDatabase()',
  );
  expect(columns.length).toBeGreaterThan(200);
  for (const [table, name, comment] of columns) expect(comment, `${table}.${name}`).not.toBe('');
  // The engine keeps no columns of views with parameters.
  for (const { name, columns } of VIEWS)
    for (const [column, , comment] of columns) expect(comment, `${name}.${column}`).not.toBe('');
  const { text } = await postAsAnalyst(stage.warehouse, 'DESCRIBE transfers');
  expect(text).toContain('exact, in the smallest units of the asset');
});

test('views are made once, and again for another user or where one is gone', async () => {
  const { writer } = stage.warehouse;
  const made: string[] = [];
  /** Counts the views that are made, by a user of that name. */
  const writerOf = (user?: string): typeof writer =>
    new Proxy(writer, {
      get: (of, key) => {
        if (key === 'command')
          return (command: { query: string }) => {
            made.push(...(/VIEW `spoor_analyst`.`(\w+)`/.exec(command.query)?.slice(1) ?? []));
            return of.command(command);
          };
        const asked = user && ((text: string) => text.replace('currentUser()', `'${user}'`));
        if (key === 'query' && asked)
          return (question: { query: string }) => of.query({ ...question, query: asked(question.query) });
        return Reflect.get(of, key);
      },
    });
  const makeBy = async (user?: string): Promise<number> => {
    made.length = 0;
    await makeViews({ ...stage.warehouse, writer: writerOf(user) });
    return made.length;
  };
  expect(await makeBy()).toBe(0);
  expect(await makeBy('successor')).toBe(VIEWS.length);
  expect(await makeBy('successor')).toBe(0);
  await writer.command({ query: 'DROP VIEW spoor_analyst.transfers' });
  expect(await makeBy('successor')).toBe(VIEWS.length);
  expect(await makeBy()).toBe(VIEWS.length);
});

test("a view that is no more among them is dropped, and nobody else's", async () => {
  const [view] = VIEWS;
  if (!view) throw new Error('there are no views');
  await makeViews(stage.warehouse, [...VIEWS, { ...view, name: 'former' }]);
  const own = 'CREATE OR REPLACE VIEW spoor_analyst.of_an_operator AS SELECT 1';
  await stage.warehouse.writer.command({ query: own });
  const names = async () => (await ask('SHOW TABLES')).flat();
  expect(await names()).toContain('former');
  await makeViews(stage.warehouse);
  expect(await names()).not.toContain('former');
  expect(await names()).toContain('of_an_operator');
  await stage.warehouse.writer.command({ query: 'DROP VIEW spoor_analyst.of_an_operator' });
});

test('what customers paid, and everything behind the views, is out of reach', async () => {
  for (const table of ['ledger_entries', 'ledger_balances', 'usage_days', 'transfers', 'migrations']) {
    const { code } = await postAsAnalyst(stage.warehouse, `SELECT * FROM spoor.${table}`);
    expect(code, table).toBe('497');
  }
  for (const { columns } of VIEWS)
    for (const [name] of columns) expect(name).not.toMatch(/payer|account_id|key_id|credits|plan/);
  expect((await ask('SHOW TABLES')).flat()).not.toContain('retracted');
});

/** Those of the views that are made of blocks and ask for nothing. */
const OF_BLOCKS = [
  ...['transfers', 'wallet_activity', 'hops', 'swaps', 'programs', 'approvals', 'approvals_by_spender'],
  ...['bridge_transfers', 'control_events', 'blocks'],
];

test('rows of abandoned blocks are in no view', async () => {
  const shown = async () =>
    Object.fromEntries(
      await Promise.all(
        OF_BLOCKS.map(async (view) => [view, (await ask(`SELECT * FROM ${view} ORDER BY ALL`)).map(String)]),
      ),
    );
  await stage.insert([blockOf(4)]);
  const before = await shown();
  for (const view of OF_BLOCKS) expect(before[view].length, view).toBeGreaterThan(0);
  const sequence = stage.nextSequence;
  await stage.insert([blockOf(6)]);
  expect(await shown()).not.toEqual(before);
  await insertRows(stage.warehouse.writer, 'retracted', [{ sequence }]);
  expect(await shown()).toEqual(before);
});

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

test('addresses are shown as the API prints them, and hops are what is followed', async () => {
  const wallets = fc.sample(addresses, { numRuns: 50, seed: 1 });
  const movements = wallets.flatMap((from, index) =>
    MOVEMENT_KINDS.map((kind) => ({ from, to: wallets[index + 1] ?? null, kind, amountRaw: 5n })),
  );
  const transactions = [{ hash: '0x1', sender: 'x', movements }];
  await stage.insert([buildBlock({ chain: 'ethereum', number: 1, timeUnixSeconds: START, transactions })]);
  const shown = await ask('SELECT DISTINCT from_address, from_address_shown FROM transfers');
  expect(shown.length).toBe(50);
  for (const [address, text] of shown)
    expect(text).toBe(presentAddress(chainOf('ethereum'), String(address)));
  expect((await ask('SELECT DISTINCT kind FROM hops ORDER BY kind')).flat()).toEqual([
    'owner_change',
    'program',
    'transfer',
  ]);
  // A view that is given an address takes each form.
  for (const address of shown[0] ?? [])
    expect(await ask(`SELECT count() FROM wallet(chain = 'ethereum', address = '${address}')`)).not.toEqual([
      ['0'],
    ]);
});

test.each([
  [0, 7n, '7'],
  [6, 1_500_001n, '1.500001'],
  [18, 1n, '0.000000000000000001'],
  [18, 10n ** 57n - 1n, `${'9'.repeat(39)}.${'9'.repeat(18)}`],
  [18, 2n ** 256n - 1n, null],
  [19, 1n, null],
])('with %i decimals %i raw units are %s', async (decimals, amountRaw, amount) => {
  const movements = [{ from: 'a', to: 'b', asset: 'token', amountRaw }];
  const transactions = [{ hash: 'h', sender: 'a', movements }];
  await stage.insert([
    buildBlock({
      chain: 'solana',
      number: 1,
      timeUnixSeconds: START,
      transactions,
      assets: [{ asset: 'token', decimals }],
    }),
  ]);
  expect(await ask('SELECT amount, amount_raw FROM transfers')).toEqual([[amount, String(amountRaw)]]);
});

test('dollars are those that answers give', async () => {
  const chain = chainOf('ethereum');
  const canonicalAssets = [
    NATIVE,
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
    '0x514910771af9ca656af840dff83e8264ecf986ca',
    '0x01',
  ];
  const random = createRandom(1);
  const next = () => random.unit();
  const market = canonicalAssets.flatMap((asset) =>
    Array.from({ length: 60 }, (_, hour) => hour).flatMap((hour) => {
      if (next() < 0.6) return [];
      const time = START + hour * HOUR;
      const row = { chain: 'ethereum', asset, volume_usd: 1, trades: 1 };
      const usd = next() < 0.15 ? null : 1 + next();
      const minute = time + 60 * Math.floor(60 * next());
      return [
        { ...row, resolution: 'hour', time, at: time + Math.floor(HOUR * next()), usd },
        {
          ...row,
          resolution: 'minute',
          time: minute,
          at: minute + 30,
          usd: next() < 0.3 ? null : 2 + next(),
        },
      ];
    }),
  );
  const imported = canonicalAssets.flatMap((asset) =>
    Array.from({ length: 12 }, (_, index) => {
      const time = START + Math.floor(120 * next()) * HOUR;
      const day = Math.floor(time / 86_400);
      const row = { chain: 'ethereum', asset, day, time, usd: 5 + index, withdrawn: 0 };
      return [...['b', 'a'].map((source) => ({ ...row, source, sequence: index }))];
    }).flat(),
  );
  await insertRows(stage.warehouse.writer, 'prices', market);
  await insertRows(stage.warehouse.writer, 'imported_prices', imported);
  const minutes = market.filter(({ resolution }) => resolution === 'minute').map(({ time }) => time + 5);
  const times = [
    ...Array.from({ length: 300 }, () => START + Math.floor((next() * 170 - 30) * HOUR)),
    ...minutes,
  ];
  const blocks = [...new Set(times)]
    .toSorted((a, b) => a - b)
    .map((timeUnixSeconds, number) =>
      buildBlock({
        ...{ chain: 'ethereum', number, timeUnixSeconds },
        transactions: [
          {
            ...{ hash: `0x${number}`, sender: 'a' },
            movements: canonicalAssets.map((asset) => ({
              from: 'a',
              to: 'b',
              asset,
              amountRaw: 123_456_789n,
            })),
          },
        ],
        assets: [{ asset: '0x01', decimals: 3 }],
      }),
    );
  await stage.insert(blocks);
  const rows = await ask('SELECT asset_family, toUnixTimestamp(block_time), usd FROM transfers');
  const moments = rows.map(([canonicalAsset, time]) => ({
    canonicalAsset: String(canonicalAsset),
    timeUnixSeconds: Number(time),
  }));
  const limits = { signal: AbortSignal.timeout(60_000), timeoutMs: 60_000 };
  const prices = await createPriceReader(stage.warehouse.reader).prices({ chain }, moments, limits);
  const sources = new Set<string>();
  for (const [index, [canonicalAsset, time, usd]] of rows.entries()) {
    const price = prices[index] ?? null;
    sources.add(price?.source ?? 'none');
    const units = toWholeUnits(123_456_789n, knownDecimals(chain, String(canonicalAsset)) ?? 3);
    const told = `${canonicalAsset} at ${time}`;
    if (price === null) expect(usd, told).toBeNull();
    else expect(Number(usd) / (price.usd * units), told).toBeCloseTo(1, 9);
  }
  expect([...sources].toSorted()).toEqual(['import:a', 'market', 'none', 'peg']);
  expect(canonicalAssets.some((canonicalAsset) => isStablecoin(chain, canonicalAsset))).toBe(true);
});

const NOW = Math.floor(Date.now() / 1_000);
const times = fc.constantFrom(null, NOW - 4_000_000, NOW - 3_000_000, NOW - 2_000_000, NOW + 1_000_000);
const labels = fc.record({
  kind: fc.constantFrom(...LABEL_KINDS, ...Array<'sanctioned'>(8).fill('sanctioned')),
  name: fc.constantFrom(
    'Alder',
    'OFAC: Alder',
    'U.S. Treasury list',
    'EU listing',
    'Euro bank',
    'UK’s HM-Treasury',
  ),
  source: fc.constantFrom('curated', 'ofac', 'eu', 'community', 'Some_UN-List'),
  creator: fc.constantFrom('', 'OFAC', 'office of foreign assets control', 'European Union', 'anybody'),
  confidence: fc.constantFrom(0.5, 0.9, 1),
  validFrom: times,
  validTo: times,
  assertedAt: fc.constantFrom(NOW - 100, NOW - 50),
});

test('the label of an address is the one that answers show', async () => {
  const said = fc
    .sample(fc.array(labels, { minLength: 1, maxLength: 5 }), { numRuns: 400, seed: 1 })
    .map((list, index) => {
      const address = `wallet-${index}`;
      const rest = { chain: 'solana', address, entity: '', category: '', inheritedFrom: null, evidence: '' };
      // What stands in the same place of the table's key says the same label again.
      const keys = new Map(
        list.map((label) => [[label.source, label.kind, label.name, label.validFrom].join('|'), label]),
      );
      return [...keys.values()].map((label): AssertedLabel => ({ ...rest, ...label }));
    });
  const events = said
    .flat()
    .map((label, sequence) => ({ sequence, event: { type: 'LabelAsserted' as const, label } }));
  await insertLabels(stage.warehouse.writer, events);
  const rows = await ask('SELECT address, name, kind, also FROM labels');
  const shown = new Map(
    rows.map(([address, name, kind, also]) => [address, { name, kind, ...(also ? { passing: also } : {}) }]),
  );
  let lifted = 0;
  for (const list of said) {
    const expected = describeLabels(list, NOW);
    if (
      expected?.kind !== 'sanctioned' &&
      list.some(({ kind, validTo }) => kind === 'sanctioned' && validTo === null)
    )
      lifted++;
    expect(shown.get(list[0]?.address) ?? null, JSON.stringify(list)).toEqual(expected);
  }
  expect(lifted).toBeGreaterThan(5);
});
