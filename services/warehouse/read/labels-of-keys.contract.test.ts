import { beforeAll, expect, test } from 'vitest';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { AssertedLabel } from '../../investigate/model/label.ts';
import { askAnalyst } from '../../testing/ask-analyst.ts';
import { buildBlock } from '../../testing/build-block.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { DeriveStage, payment, SWEPT_TWICE } from '../../testing/derive-stage.ts';
import { makeViews } from '../analyst/make-views.ts';
import { LabelIndex } from '../labels/held-labels.ts';
import { insertLabels } from '../labels/insert-labels.ts';
import { updateServiceWallets } from '../labels/update-service-wallets.ts';
import { createProfileReader } from './create-profile-reader.ts';
import { createTraceReader } from './create-trace-reader.ts';

const limits = { signal: new AbortController().signal, timeoutMs: 20_000 };
const stage = new DeriveStage({ ownEngine: true });
const held = new LabelIndex();

const on = (chain: string, label: Parameters<typeof buildLabel>[0]): AssertedLabel =>
  buildLabel({ ...label, chain });
const LABELS = [
  on('ethereum', { address: 'hot', kind: 'exchange', entity: 'okx', name: 'OKX' }),
  on('ethereum', { address: 'listed', kind: 'sanctioned', name: 'OFAC: listed' }),
  on('ethereum', { address: 'pool', kind: 'mixer', entity: 'tornado', name: 'Tornado' }),
  on('ethereum', { address: 'made', kind: 'other', name: 'somebody' }),
  on('ethereum', { address: 'smart', kind: 'hack', name: 'a thief' }),
  on('ethereum', { address: 'box', kind: 'exchange', entity: 'okx', name: 'OKX: Deposit' }),
  on('solana', { address: 'sol', kind: 'exchange', entity: 'okx', name: 'OKX' }),
];
const ADDRESSES = LABELS.map(({ address }) => address);

beforeAll(async () => {
  const { writer } = stage.warehouse;
  const said = LABELS.map((label) => {
    return { sequence: stage.takeSequence(), event: { type: 'LabelAsserted' as const, label } };
  });
  await insertLabels(writer, said);
  for (const { event } of said) held.apply(event);
  await updateServiceWallets(
    writer,
    said.map(({ sequence, event: { label } }) => ({ chain: label.chain, address: label.address, sequence })),
  );
  const calls = { kind: 'calls' as const, holder: null, amountRaw: 1n };
  await stage.insert([
    buildBlock({
      chain: 'base',
      number: 1,
      timeUnixSeconds: 1_600_000_000,
      transactions: [
        {
          hash: 'made',
          sender: 'maker',
          controlEvents: [
            { ...calls, kind: 'contract_created', subject: 'made', holder: 'maker' },
            { ...calls, subject: 'smart', party: 'maker' },
            { ...calls, kind: 'code_delegated', subject: 'smart', holder: 'smart', party: 'wallet code' },
          ],
        },
      ],
    }),
  ]);
});

const readers = () => {
  const { reader } = stage.warehouse;
  return [createTraceReader(reader), createTraceReader(reader, undefined, held)];
};

test('labels of keys hold on every EVM chain, those of contracts on their own; a delegation makes no contract', async () => {
  for (const reader of readers()) {
    const named = async (chain: string) => {
      const labels = await reader.labels({ chain }, ADDRESSES, limits);
      return Object.fromEntries(
        ADDRESSES.flatMap((address, at) => (labels[at] ? [[address, labels[at].kind]] : [])),
      );
    };
    const everywhere = { hot: 'exchange', listed: 'sanctioned', smart: 'hack', box: 'exchange' };
    expect(await named('base')).toEqual(everywhere);
    expect(await named('bsc')).toEqual({ ...everywhere, made: 'other' });
    expect(await named('ethereum')).toEqual({ ...everywhere, made: 'other', pool: 'mixer' });
    expect(await named('solana')).toEqual({ sol: 'exchange' });
  }
});

test('an exchange has its wallets on every EVM chain, and customers’ addresses only where they are said', async () => {
  for (const reader of readers()) {
    const services = async (chain: string) => {
      const known = await reader.services({ chain }, ADDRESSES, limits);
      return ADDRESSES.filter((_, at) => known[at] !== null);
    };
    const wallets = async (chain: string) =>
      (await reader.serviceWallets({ chain, limit: 9 }, ['okx'], limits))[0]?.addresses;
    expect((await services('base')).sort()).toEqual(['hot']);
    expect((await services('ethereum')).sort()).toEqual(['box', 'hot', 'pool']);
    expect([await wallets('base'), await wallets('ethereum')]).toEqual([['hot'], ['box', 'hot']]);
    expect([await wallets('solana'), await services('solana')]).toEqual([['sol'], ['sol']]);
  }
});

test('a profile tells every label of the key and on which chain it was said', async () => {
  const reader = createProfileReader(stage.warehouse.reader);
  const said = async (chain: string, wallet: string) =>
    (await reader.labelsSaid({ chain, wallet, ...limits })).map((label) => `${label.chain} ${label.kind}`);
  expect(await said('base', 'listed')).toEqual(['ethereum sanctioned']);
  expect(await said('ethereum', 'listed')).toEqual(['ethereum sanctioned']);
  expect(await said('base', 'pool')).toEqual([]);
  expect(await said('base', 'made')).toEqual([]);
  expect(await said('base', 'smart')).toEqual(['ethereum hack']);
  expect(await said('base', 'sol')).toEqual([]);
});

test('customers’ addresses are told by their sweeps to a hot wallet that is only listed elsewhere', async () => {
  const nameOf = (wallet: string): string => (wallet === 'box' ? 'till' : wallet);
  const swept = SWEPT_TWICE.map(([from, to, units, hours], at) =>
    payment([nameOf(from), nameOf(to), units, hours], 10 + at, { chain: 'base' }),
  );
  await stage.insert(swept);
  await stage.derive();
  expect(await stage.ask('SELECT chain, address, entity FROM deposit_addresses FINAL WHERE holds')).toEqual([
    ['base', 'till', 'okx'],
  ]);
});

test('the analysts’ labels, and those beside a wallet’s payments, hold where answers say that they do, and say from where', async () => {
  await makeViews(stage.warehouse);
  const reader = createTraceReader(stage.warehouse.reader);
  const rows = await askAnalyst(
    stage.warehouse,
    'SELECT chain, address, kind, name, inherited_from FROM labels ORDER BY chain, address',
  );
  const told = Map.groupBy(rows, ([chain]) => String(chain));
  let inherited = 0;
  for (const { name: chain } of CHAINS) {
    const shown = await reader.labels({ chain }, ADDRESSES, limits);
    const own = (told.get(chain) ?? []).filter(([, address]) => ADDRESSES.includes(String(address)));
    expect(new Map(own.map(([, address, kind]) => [address, kind])), chain).toEqual(
      new Map(ADDRESSES.flatMap((address, at) => (shown[at] ? [[address, shown[at].kind]] : []))),
    );
    for (const [, address, , , from] of own) {
      if (from !== null) expect(from).toBe(`ethereum:${address}`);
      inherited += from === null ? 0 : 1;
    }
  }
  expect(inherited).toBeGreaterThan(5);
  const beside = await askAnalyst(
    stage.warehouse,
    "SELECT DISTINCT counterparty_kind FROM wallet(chain = 'base', address = 'till') WHERE counterparty = 'hot'",
  );
  expect(beside).toEqual([['exchange']]);
});
