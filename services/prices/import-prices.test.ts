import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openReferenceEvents, type PricesImported } from '../events/reference-events.ts';
import { openStore, type Store } from '../roles/store/open-store.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { importPrices, type PriceOutcome } from './import-prices.ts';
import { KnownPrices } from './known-prices.ts';
import type { PriceListOptions } from './read-price-list.ts';
import { withdrawPrices } from './withdraw-prices.ts';

const NEVER = new AbortController().signal;

const openLog = async () => {
  const folder = temporaryFolder();
  const store = await openStore({ dataFolder: folder, name: 'chain', maxQueuedBytes: 1 << 20 });
  const references = await openReferenceEvents(store.registry);
  const file = (text: string, name = 'list.csv'): string => {
    const path = join(folder, name);
    writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
    return path;
  };
  const run = async (path: string, options: PriceListOptions = {}, dryRun = false) => {
    const counts: Record<PriceOutcome | 'refused', number> = {
      new: 0,
      changed: 0,
      known: 0,
      repeated: 0,
      refused: 0,
    };
    const request = {
      path,
      options,
      known: await KnownPrices.read(store.log, references),
      nowUnixSeconds: 1_750_000_000,
      target: dryRun ? null : { log: store.log, references },
      events: {
        taken: (rows: number, outcome: PriceOutcome): void => {
          counts[outcome] += rows;
        },
        refused: (): void => {
          counts.refused += 1;
        },
      },
    };
    await importPrices(request, NEVER);
    return counts;
  };
  const withdraw = (from: string, until: string) =>
    withdrawPrices({ log: store.log, references }, rangeOf(from, until), {
      reason: '',
      nowUnixSeconds: 1_750_000_000,
    });
  return { store, file, run, withdraw, stored: () => readAll(store, references) };
};

const readAll = async (store: Store, { decode }: Awaited<ReturnType<typeof openReferenceEvents>>) => {
  const records = await store.log.read({ topic: 'prices', partition: 0, offset: 0, maxBytes: 1 << 20 });
  return records.flatMap(({ value }): PricesImported[] => {
    const event = decode(value);
    return event.type === 'PricesImported' ? [event.prices] : [];
  });
};

const rangeOf = (from: string, until: string) => ({
  ...{ chain: 'solana', asset: 'native', source: 'list' },
  fromUnixSeconds: Date.parse(from) / 1_000,
  untilUnixSeconds: Date.parse(until) / 1_000,
});

const LIST = `time,usd,chain,asset
2024-05-01 12:00,3,solana,native
2024-05-02,5,solana,native
2024-05-01,2,solana,native
2024-05-01,9,ethereum,native
2024-05-01,1.5,solana,native
never,1,solana,native
`;

test('every row is accounted for, each day of an asset is one event, and the last row of a time counts', async () => {
  const { store, file, run, stored } = await openLog();
  const none = { new: 0, changed: 0, known: 0, repeated: 0, refused: 0 };
  expect(await run(file(LIST), {}, true)).toEqual({ ...none, new: 4, repeated: 1, refused: 1 });
  expect(await stored()).toEqual([]);
  expect(await run(file(LIST))).toEqual({ ...none, new: 4, repeated: 1, refused: 1 });
  const day = { chain: 'solana', asset: 'native', source: 'list' };
  expect(await stored()).toEqual([
    { ...day, time: [1_714_521_600, 1_714_564_800], usd: [1.5, 3] },
    { ...day, time: [1_714_608_000], usd: [5] },
    { ...day, chain: 'ethereum', time: [1_714_521_600], usd: [9] },
  ]);
  await store.close();
});

test('the same file again stores nothing, a changed one only the days that changed', async () => {
  const { store, file, run, stored } = await openLog();
  await run(file(LIST));
  expect(await run(file(LIST))).toMatchObject({ new: 0, changed: 0, known: 4 });
  expect(await run(file(LIST.replace('2024-05-02,5', '2024-05-02,6')))).toMatchObject({
    changed: 1,
    known: 3,
  });
  expect(await stored()).toHaveLength(4);
  // Back to what it was is a change, too.
  expect(await run(file(LIST))).toMatchObject({ changed: 1, known: 3 });
  await store.close();
});

test('what is withdrawn is withdrawn once, only of its list, asset and times, and can be imported again', async () => {
  const { store, file, run, withdraw } = await openLog();
  await run(file(LIST));
  expect(await withdraw('2024-04-30', '2024-05-01')).toBe(0);
  expect(await withdraw('2024-05-01', '2024-05-02')).toBe(2);
  expect(await withdraw('2024-05-01', '2024-05-02')).toBe(0);
  expect(await run(file(LIST))).toMatchObject({ new: 2, known: 2 });
  expect(await withdraw('2024-05-01', '2024-05-09')).toBe(3);
  await store.close();
});

test('a daily export of a price site is read as it comes, packed, for one asset', async () => {
  const { store, file, run, stored } = await openLog();
  const text = 'snapped_at,price,market_cap,total_volume\n2024-05-01 00:00:00 UTC,2.5,1,1\n';
  expect(await run(file(text, 'sol-usd.csv.gz'), { chain: 'solana', asset: 'SOL' })).toMatchObject({
    new: 1,
  });
  expect(await stored()).toMatchObject([{ source: 'sol-usd', asset: 'native', usd: [2.5] }]);
  await store.close();
});

test('a file that is cut off, empty, too fine or never closes a quote is refused as a whole, by its name', async () => {
  const { store, file, run, stored } = await openLog();
  const quoted = file(LIST.replace('2024-05-02', '"2024-05-02'), 'quoted.csv');
  await expect(run(quoted)).rejects.toThrow('quoted.csv has a quote that is never closed behind row 1');
  await expect(run(file('', 'empty.csv'))).rejects.toThrow('empty.csv is empty');
  const cut = file('', 'cut.csv');
  writeFileSync(cut, gzipSync(LIST).subarray(0, 40));
  await expect(run(cut)).rejects.toThrow(/cut\.csv cannot be read: unexpected end of file/);
  await expect(run(dirname(cut))).rejects.toMatchObject({ code: 'file_unreadable' });
  const ticks = Array.from({ length: 40_001 }, (_, i) => `${1_714_521_600 + i},2\n`);
  const ticking = file(`time,usd\n${ticks.join('')}`, 'ticks.csv');
  await expect(run(ticking, { chain: 'solana', asset: 'SOL' })).rejects.toThrow(
    'ticks.csv has more than 40000 prices of one asset on one day',
  );
  await expect(run(join(dirname(cut), 'nowhere.csv'))).rejects.toThrow(/nowhere\.csv cannot be read: ENOENT/);
  expect(await stored()).toEqual([]);
  await store.close();
});

test('a file that lacks a column is refused as a whole, and says which', async () => {
  const { store, file, run } = await openLog();
  const path = file('time,amount\n1,2\n');
  await expect(run(path)).rejects.toMatchObject({ code: 'price_file' });
  await expect(run(path, { chain: 'solana' })).rejects.toThrow(
    /has no column usd, asset; it has time, amount/,
  );
  await store.close();
});

test('a file with two columns of one name is refused as a whole: nobody knows which of them is the price', async () => {
  const { store, file, run, stored } = await openLog();
  const twice = file('time,Price,price\n2024-05-01,2,3\n');
  await expect(run(twice, { chain: 'solana', asset: 'SOL' })).rejects.toThrow('has two columns price');
  expect(await stored()).toEqual([]);
  await store.close();
});

test('a comma inside a number never becomes another price: what parts the header parts the rows, and the rest is refused', async () => {
  const { store, file, run, stored } = await openLog();
  const one = { chain: 'solana', asset: 'SOL' };
  const semicolons = 'date;price\n2024-05-01;3,50\n2024-05-02;1.234,56\n2024-05-03;7\n';
  expect(await run(file(semicolons), one)).toMatchObject({ new: 1, refused: 2 });
  const commas = 'date,price\n2024-05-04,1,234.50\n2024-05-05,8\n2024-05-06\n';
  expect(await run(file(commas), one)).toMatchObject({ new: 1, refused: 2 });
  const tabs = 'date\tprice\n2024-05-07\t9\n';
  expect(await run(file(tabs), one)).toMatchObject({ new: 1, refused: 0 });
  expect((await stored()).flatMap(({ usd }) => usd)).toEqual([7, 8, 9]);
  await store.close();
});
