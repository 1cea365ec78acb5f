import { expect, test } from 'vitest';
import { parseAddress, presentAddress } from '../../investigate/model/address.ts';
import { CHAINS, findChain } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import feeModels from '../../investigate/trace/matches/fee-models.json' with { type: 'json' };
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { csv } from '../formats/csv.ts';
import type { FormatOptions, LabelFormat } from '../formats/label-format.ts';
import { ofacList } from '../formats/ofac-list.ts';
import { openLabelFile } from '../formats/open-label-file.ts';
import { checkRow } from '../rules/check-row.ts';
import { chooseLabel } from '../rules/choose-label.ts';
import { chooseService } from '../rules/choose-service.ts';
import { curated, curatedEntries, curatedFiles } from './curated.ts';

const NOW = Date.UTC(2025, 10, 21) / 1_000;
const key = ({ chain, address }: { chain: string; address: string }): string => `${chain} ${address}`;

const labelsOf = async (
  format: LabelFormat,
  path: string,
  options?: FormatOptions,
): Promise<AssertedLabel[]> => {
  const labels: AssertedLabel[] = [];
  for await (const read of format.read(openLabelFile(path, options))) {
    const label = 'row' in read ? checkRow(read.row, NOW).label : undefined;
    if (label) labels.push(label);
  }
  return labels;
};
const files = curatedFiles();
const entries = (await Promise.all(files.map(curatedEntries))).flat();
const labels = (await Promise.all(files.map(({ path }) => labelsOf(curated, path)))).flat();
const byAddress = Map.groupBy(labels, key);

test('every curated address is one of its chain, written as its chain writes it, and said once in a file', () => {
  const addresses = entries.flatMap((entry) => Object.entries(entry.addresses));
  for (const [name, list] of addresses) {
    const chain = findChain(name);
    if (!chain) throw new Error(`${name} is no chain`);
    for (const text of list) {
      const parsed = parseAddress(chain, text);
      expect(parsed, text).toMatchObject({ ok: true });
      expect(parsed.ok && presentAddress(chain, parsed.address)).toBe(text);
    }
  }
  expect(labels).toHaveLength(addresses.flatMap(([, list]) => list).length);
  expect(new Set(labels.map((label) => `${key(label)} ${label.kind}`)).size).toBe(labels.length);
});

test('nothing curated is two things at once, but for sanctions that are over', () => {
  for (const [address, same] of byAddress)
    expect(same.filter(({ kind }) => kind !== 'sanctioned').length, address).toBeLessThan(2);
});

test('pools of mixers say their note, and every fee model of an entity is that of a mixer', () => {
  const mixers = entries.filter(({ kind }) => kind === 'mixer');
  expect(new Set(mixers.map(({ entity }) => entity))).toEqual(
    new Set(['tornado-cash', 'railgun', 'privacy-pools', 'privacy-cash', 'umbra']),
  );
  const entities = mixers.map(({ entity }) => entity);
  for (const entity of Object.keys(feeModels.entities)) expect(entities).toContain(entity);
  for (const { name, denomination } of mixers) {
    expect(denomination, name).not.toBeUndefined();
    const [, note] = name.split(': ');
    if (note !== undefined && note !== 'Router') expect(denomination).toBe(note);
  }
});

test('every wrapped coin and stablecoin of the model is named, as a contract', () => {
  const assets = [
    ...KNOWN_ASSETS.filter(({ stablecoin }) => stablecoin).map(({ chain, asset }) => ({
      chain,
      address: asset,
    })),
    ...CHAINS.map(({ name, wrappedNative }) => ({ chain: name, address: wrappedNative })),
  ];
  for (const asset of assets)
    expect(
      byAddress.get(key(asset))?.map(({ kind }) => kind),
      key(asset),
    ).toEqual(['contract']);
});

test('every chain has its exchanges, bridges, dexes and tokens, and instant swappers are exchanges', () => {
  const kinds = Map.groupBy(labels, ({ chain }) => chain);
  for (const { name } of CHAINS)
    expect(
      kinds.get(name)?.map(({ kind }) => kind),
      name,
    ).toEqual(expect.arrayContaining(['exchange', 'bridge', 'dex', 'contract']));
  const exchanges = labels.filter(({ kind }) => kind === 'exchange').map(({ entity }) => entity);
  expect(exchanges).toEqual(expect.arrayContaining(['sideshift', 'changenow', 'fixedfloat']));
});

test('exchanges, instant swappers and mixers are services whose entity is known', () => {
  for (const label of labels.filter(({ kind }) => kind === 'exchange' || kind === 'mixer'))
    expect(chooseService([label]), label.name).toMatchObject({
      kind: label.kind,
      entity: expect.stringMatching(/^[a-z0-9-]+$/),
    });
});

test('Tornado Cash was under sanctions from 2022 to March 2025 and is a mixer before and since', () => {
  const pool = { chain: 'ethereum', address: '0x910cbd523d972eb0a6f4cae4618ad62622b39dbf' };
  const kindOn = (day: string): string | undefined =>
    chooseLabel(byAddress.get(key(pool)) ?? [], Date.parse(day) / 1_000)?.kind;
  expect(kindOn('2022-08-07')).toBe('mixer');
  expect(kindOn('2022-08-08')).toBe('sanctioned');
  expect(kindOn('2025-03-20T23:59:59Z')).toBe('sanctioned');
  expect(kindOn('2025-03-21')).toBe('mixer');
});

/** Where public lists say otherwise, and why we hold to what we say. */
const CONTRADICTED = [
  // Tokens, not wallets of whoever issued them.
  'bsc 0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  'bsc 0xe9e7cea3dedca5984780bafc599bd69add087d56',
  'ethereum 0xdac17f958d2ee523a2206206994597c13d831ec7',
  // SideShift changes one coin for another, for anybody: amounts follow an exchange's fees.
  'ethereum 0xcdd37ada79f589c15bd4f8fd2083dc88e34a2af2',
];

describeWithSharedData('the curated labels beside public lists', () => {
  test('hundreds are in public lists too, and but for a few with reasons no list says another kind', async () => {
    // `kinds`: every kind that any of the merged lists says, divided by bars.
    const known = await labelsOf(csv, sharedData('labels/known-entities.csv.gz'), {
      columns: { labels: 'kinds' },
    });
    const both = known.filter((label) => byAddress.has(key(label)));
    const against = both.filter((label) => {
      const said = label.category.split(', ').filter((kind) => kind !== 'other');
      const ours = byAddress.get(key(label))?.map(({ kind }) => kind as string) ?? [];
      return said.length > 0 && !said.some((kind) => ours.includes(kind));
    });
    expect(both.length).toBeGreaterThan(300);
    expect(against.map(key).toSorted()).toEqual(CONTRADICTED.toSorted());
  });

  test('an old list of sanctions without dates does not sanction Tornado Cash again, and still sanctions others', async () => {
    const old = await labelsOf(ofacList, sharedData('labels/ofac/sanctioned_addresses_ETH.json'));
    const shown = old.map((label) => chooseLabel([label, ...(byAddress.get(key(label)) ?? [])], NOW)?.kind);
    expect(shown.filter((kind) => kind === 'sanctioned')).toHaveLength(old.length - 80);
    for (const { address, kind } of labels.filter(({ entity }) => entity === 'tornado-cash')) {
      const all = [
        ...(byAddress.get(`ethereum ${address}`) ?? []),
        ...old.filter((label) => label.address === address),
      ];
      if (kind === 'mixer' && all.length > 0)
        expect(chooseLabel(all, NOW)?.kind, address).not.toBe('sanctioned');
    }
  });
});
