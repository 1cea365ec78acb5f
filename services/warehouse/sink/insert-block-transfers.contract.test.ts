import { expect, test } from 'vitest';
import { SEQUENCE_SLOTS } from '../../events/event-sequence.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import { CONTROL_KINDS } from '../../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../../investigate/model/movement.ts';
import {
  amountBytes,
  type BlockFields,
  blockFields,
  buildRecords,
  encodeRecord,
} from '../../testing/build-records.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { insertBlockTransfers } from './insert-block-transfers.ts';

const stage = new TableStage({ ownEngine: true });

const APART = ['bridge_transfers', 'bridge_messages', 'control_entries', 'control_blocks'];
const rows = async (query: string, query_params: Record<string, unknown> = {}) => {
  const answer = await stage.warehouse.reader.query({ query, query_params, format: 'JSONCompactEachRow' });
  return answer.json<unknown[]>();
};

const insert = (records: Parameters<typeof insertBlockTransfers>[1]['records'], token: string) =>
  insertBlockTransfers(stage.warehouse, { records, token });

const list = <T>(fields: BlockFields, name: string) => fields[name] as T[];

const toBigInt = (bytes: Buffer): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** A column of transactions, repeated over the rows that are theirs. */
const spread = <T>(fields: BlockFields, name: string, counts: 'tx_movements' | 'tx_swaps'): T[] =>
  list<T>(fields, name).flatMap((value, i) => Array<T>(list<number>(fields, counts)[i] ?? 0).fill(value));

/** What `transfers` must hold of an event, computed apart from any SQL. */
const expectedTransfers = (fields: BlockFields, sequence: number, wrapped = '') =>
  list<number>(fields, 'm_index').map((index, i) => [
    fields.chain,
    String(fields.block_number),
    fields.block_time,
    spread(fields, 'tx_index', 'tx_movements')[i],
    index,
    spread(fields, 'tx_hash', 'tx_movements')[i],
    spread(fields, 'tx_sender', 'tx_movements')[i],
    MOVEMENT_KINDS[list<number>(fields, 'm_kind')[i] ?? -1],
    list<string>(fields, 'm_from')[i],
    list<string>(fields, 'm_to')[i],
    list<string>(fields, 'm_asset')[i],
    list<string>(fields, 'm_asset')[i] === wrapped ? 'native' : list<string>(fields, 'm_asset')[i],
    String(toBigInt(list<Buffer>(fields, 'm_amount')[i] ?? Buffer.alloc(0))),
    list<string>(fields, 'm_authority')[i],
    String(sequence),
  ]);

const storedTransfers = (chain: string) =>
  rows(
    `SELECT chain, block_number, toUnixTimestamp(block_time), tx_index, index, tx_hash, sender, kind, from_address,
       to_address, asset, asset_family, amount, authority, sequence
     FROM transfers WHERE chain = {chain:String}`,
    { chain },
  );

const sorted = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort();

test('every movement of a batch stands in the tables as the event has it, whatever the shape of the block', async () => {
  const empty = { movementsPerBlock: 0, firstBlock: 0, blocks: 1, chain: 'shapes' };
  const shapes = [0, 1, 2, 3, 7, 50, 400].map((movementsPerBlock, i) =>
    blockFields({ ...empty, movementsPerBlock }, 100 + i),
  );
  const unmoved = blockFields({ ...empty, movementsPerBlock: 60 }, 200);
  // Transactions that are listed without a row of their own, at the beginning and in the middle.
  const counts = { tx_movements: 0, tx_swaps: 0, tx_controls: 0 };
  const extra = { tx_index: 900, tx_hash: 'unmoved', tx_sender: 'somebody', ...counts };
  for (const [name, value] of Object.entries(extra)) {
    unmoved[name] = [value, ...list(unmoved, name).toSpliced(10, 0, value, value)];
  }
  const huge = blockFields({ ...empty, movementsPerBlock: 4 }, 300);
  huge.m_amount = [2n ** 256n - 1n, 0n, 255n, 2n ** 64n].map(amountBytes);
  huge.m_from = ["it's", 'a\ttab', 'new\n\nline', '☃'];
  const all = [...shapes, unmoved, huge];
  await insert(
    all.map((fields, i) => encodeRecord(2 ** 40 + i, fields)),
    'shapes',
  );
  const expected = all.flatMap((fields, i) => expectedTransfers(fields, 2 ** 40 + i));
  expect(sorted(await storedTransfers('shapes'))).toEqual(sorted(expected));
});

test('each side of a movement that has an owner is one entry of that owner', async () => {
  await insert(buildRecords({ chain: 'sides', firstBlock: 1, blocks: 5, movementsPerBlock: 40 }), 'sides');
  const entry = (address: string, direction: string, counterparty: string) =>
    `SELECT ${address} AS address, '${direction}' AS direction, ${counterparty} AS counterparty, chain, block_time,
       block_number, tx_index, index, asset_family, amount, kind, (${address} = sender)::Bool AS is_sender, sequence
     FROM transfers WHERE chain = 'sides' AND ${address} != ''`;
  const columns = `address, direction, counterparty, chain, block_time, block_number, tx_index, index,
    asset_family, amount, kind, is_sender, sequence`;
  const expected = await rows(
    `SELECT * FROM (${entry('from_address', 'out', 'to_address')}
     UNION ALL ${entry('to_address', 'in', 'from_address')})`,
  );
  const stored = await rows(`SELECT ${columns} FROM account_entries WHERE chain = 'sides'`);
  expect(stored.length).toBeGreaterThan(300);
  expect(sorted(stored)).toEqual(sorted(expected));
});

test('transactions, swaps, blocks and assets of an event are kept', async () => {
  const fields = blockFields({ chain: 'others', firstBlock: 1, blocks: 1, movementsPerBlock: 200 }, 77);
  await insert([encodeRecord(5, fields)], 'others');
  const hash = list<string>(fields, 'tx_hash')[10] ?? '';
  expect(
    await rows(
      'SELECT chain, block_number, tx_index, sequence FROM transactions WHERE hash_key = cityHash64({hash:String})',
      {
        hash,
      },
    ),
  ).toEqual([['others', '77', 30, '5']]);
  const swaps = await rows(
    `SELECT owner, gave_family, toUnixTimestamp(block_time), tx_index, index, tx_hash, sender, gave_asset, gave_amount,
       got_asset, got_family, got_amount, through, sequence FROM swaps WHERE chain = 'others'`,
  );
  const expectedSwaps = list<number>(fields, 's_index').map((index, i) => [
    list<string>(fields, 's_owner')[i],
    list<string>(fields, 's_gave_asset')[i],
    fields.block_time,
    spread(fields, 'tx_index', 'tx_swaps')[i],
    index,
    spread(fields, 'tx_hash', 'tx_swaps')[i],
    spread(fields, 'tx_sender', 'tx_swaps')[i],
    list<string>(fields, 's_gave_asset')[i],
    String(toBigInt(list<Buffer>(fields, 's_gave_amount')[i] ?? Buffer.alloc(0))),
    list<string>(fields, 's_got_asset')[i],
    list<string>(fields, 's_got_asset')[i],
    String(toBigInt(list<Buffer>(fields, 's_got_amount')[i] ?? Buffer.alloc(0))),
    list<string>(fields, 's_through')[i],
    '5',
  ]);
  expect(expectedSwaps.length).toBeGreaterThan(5);
  expect(sorted(swaps)).toEqual(sorted(expectedSwaps));
  expect(
    await rows(
      `SELECT number, hash, parent_hash, parent_number, toUnixTimestamp(time), part, parts, vote_fees, transactions,
         movements, sequence FROM blocks WHERE chain = 'others'`,
    ),
  ).toEqual([
    ['77', fields.block_hash, fields.parent_hash, '76', fields.block_time, 0, 1, '5000000', 99, 200, '5'],
  ]);
  expect(
    await rows("SELECT asset, decimals FROM assets FINAL WHERE chain = 'others' ORDER BY decimals"),
  ).toEqual([
    [list<string>(fields, 'asset')[1], 6],
    ['native', 9],
  ]);
});

test('the wrapped coin of a chain has the coin’s family, on its own chain only', async () => {
  const [ethereum, base] = ['ethereum', 'base'].map((name) => CHAINS.find((chain) => chain.name === name));
  const fields = blockFields({ chain: 'ethereum', firstBlock: 1, blocks: 1, movementsPerBlock: 4 }, 9);
  fields.m_asset = [ethereum?.wrappedNative, base?.wrappedNative, 'native', 'token'];
  await insert([encodeRecord(1, fields)], 'wrapped');
  expect(sorted(await storedTransfers('ethereum'))).toEqual(
    sorted(expectedTransfers(fields, 1, ethereum?.wrappedNative)),
  );
});

test('a service’s entries are found by amount', async () => {
  const fields = blockFields({ chain: 'services', firstBlock: 1, blocks: 1, movementsPerBlock: 30 }, 3);
  const address = list<string>(fields, 'm_to')[4] ?? '';
  await stage.warehouse.writer.insert({
    table: 'service_wallets',
    values: [{ chain: 'services', address, entity: 'an exchange', kind: 'deposit' }],
    format: 'JSONEachRow',
  });
  await insert([encodeRecord(1, fields)], 'services');
  const columns =
    'address, direction, counterparty, block_number, tx_index, index, asset_family, amount, kind, is_sender';
  const stored = await rows(
    `SELECT ${columns} FROM service_entries WHERE chain = 'services' AND entity = 'an exchange'`,
  );
  const expected = await rows(
    `SELECT ${columns} FROM account_entries WHERE chain = 'services' AND address = {address:String}`,
    {
      address,
    },
  );
  expect(expected.length).toBeGreaterThan(0);
  expect(sorted(stored)).toEqual(sorted(expected));
});

test('what bridges told stands by its place, and by its number where it has one', async () => {
  await insert(buildRecords({ chain: 'bridges', firstBlock: 1, blocks: 8, movementsPerBlock: 4 }), 'bridges');
  const stored = (table: string) =>
    rows(`SELECT block_number, side, message_id, far_chain, to_address, amount, sequence FROM ${table}
      WHERE chain = 'bridges' ORDER BY block_number`);
  const fields = blockFields({ firstBlock: 1, blocks: 1, movementsPerBlock: 4 }, 2);
  const row = (number: number) => [
    ...[String(number), 'delivery', number % 4 === 0 ? `6:${number}` : '', 'base'],
    ...[list<string>(fields, 'b_to')[0], String(number), String(number * SEQUENCE_SLOTS)],
  ];
  expect(await stored('bridge_transfers')).toEqual([2, 4, 6, 8].map(row));
  expect(await stored('bridge_messages')).toEqual([4, 8].map(row));
});

test('an approval stands by both of its parties, and calls by their program', async () => {
  const plan = { chain: 'control', firstBlock: 1, blocks: 1, movementsPerBlock: 60 };
  const fields = blockFields(plan, 9);
  // The first transaction moved nothing: no other table has its hash.
  const [first = 0, second = 0, ...others] = list<number>(fields, 'tx_movements');
  fields.tx_movements = [0, first + second, ...others];
  const alone = encodeRecord(5, { ...blockFields(plan, 10), parts: 0 });
  const older = { ...blockFields({ ...plan, movementsPerBlock: 4 }, 11), keeps_control: [], tx_controls: [] };
  for (const name of Object.keys(older)) if (name.startsWith('c_')) Object.assign(older, { [name]: [] });
  await insert([encodeRecord(4, fields), alone, encodeRecord(6, older)], 'control');
  const stored =
    await rows(`SELECT block_number, tx_index, tx_hash, sender, role, address, kind, subject, holder, party,
    amount, by_holder, sequence FROM control_entries WHERE chain = 'control' AND sequence = 4`);
  const of = <T>(name: string): T[] =>
    list<T>(fields, name).flatMap((value, i) =>
      Array<T>(list<number>(fields, 'tx_controls')[i] ?? 0).fill(value),
    );
  const expected = list<number>(fields, 'c_kind').flatMap((kind, i) => {
    const [subject, holder, party] = ['c_subject', 'c_holder', 'c_party'].map((column) => {
      const address = list<string>(fields, column)[i];
      return address === '*' ? of<string>('tx_sender')[i] : address;
    });
    const isCall = CONTROL_KINDS[kind] === 'calls';
    const roles = Object.entries(isCall ? { subject } : { holder, party });
    return roles.map(([role, address]) => [
      ...[
        '9',
        of<number>('tx_index')[i],
        of<number>('tx_movements')[i] === 0 ? of<string>('tx_hash')[i] : '',
        of<string>('tx_sender')[i],
        role,
        address,
      ],
      ...[CONTROL_KINDS[kind], subject, holder, party],
      String(toBigInt(list<Buffer>(fields, 'c_amount')[i] ?? Buffer.alloc(0))),
      ...[list<number>(fields, 'c_by_holder')[i] === 1, '4'],
    ]);
  });
  expect(expected.length).toBeGreaterThan(8);
  expect(sorted(stored)).toEqual(sorted(expected));
  const [[ofAlone] = []] = await rows(
    "SELECT count() FROM control_entries WHERE chain = 'control' AND sequence = 5",
  );
  expect(Number(ofAlone)).toBe(expected.length);
  const covered = `SELECT number, parent_number, toUnixTimestamp(time), part, coverage FROM control_blocks WHERE chain = 'control'`;
  expect(await rows(covered)).toEqual([['9', '8', fields.block_time, 0, 'full']]);
});

test('a batch sent again under its token leaves every table as it was; another batch does not', async () => {
  const batch = buildRecords({ chain: 'again', firstBlock: 1, blocks: 30, movementsPerBlock: 500 });
  const state = () =>
    rows(
      [
        ...APART,
        'blocks',
        'transfers',
        'account_entries',
        'service_entries',
        'transactions',
        'swaps',
        'assets',
      ]
        .map((table) => `SELECT '${table}', count(), sum(cityHash64(*)) FROM ${table}`)
        .join(' UNION ALL '),
    ).then(sorted);
  await insert(batch, 'again-0');
  const before = await state();
  await insert(batch, 'again-0');
  expect(await state()).toEqual(before);
  await insert(batch, 'again-1');
  expect(await state()).not.toEqual(before);
});

test('a batch is one part in each table, so that parts stay few', async () => {
  await stage.warehouse.writer.command({ query: 'SYSTEM STOP MERGES' });
  const parts = async () => {
    const answer = await stage.warehouse.writer.query({
      query:
        "SELECT table, count() FROM system.parts WHERE active AND database = 'spoor' GROUP BY table ORDER BY table",
      format: 'JSONCompactEachRow',
    });
    return new Map((await answer.json<[string, string]>()).map(([table, count]) => [table, Number(count)]));
  };
  const before = await parts();
  // More rows than max_block_size on both sides of the fan-out.
  await insert(buildRecords({ chain: 'parts', firstBlock: 1, blocks: 160, movementsPerBlock: 500 }), 'parts');
  const after = await parts();
  for (const table of [...APART, 'blocks', 'transfers', 'account_entries', 'transactions', 'swaps']) {
    expect((after.get(table) ?? 0) - (before.get(table) ?? 0), table).toBe(1);
  }
  await stage.warehouse.writer.command({ query: 'SYSTEM START MERGES' });
});

test('a batch with a torn record is refused as a whole', async () => {
  const [good] = buildRecords({ chain: 'torn', firstBlock: 1, blocks: 1, movementsPerBlock: 10 });
  if (!good) throw new Error('no record');
  const torn = { sequence: 2, avro: good.avro.subarray(0, good.avro.length - 20) };
  await expect(insert([good, torn], 'torn')).rejects.toThrow('EOF reached');
  for (const table of ['blocks', 'transfers', 'account_entries', 'transactions', 'swaps', 'assets']) {
    expect(await rows(`SELECT count() FROM ${table} WHERE chain = 'torn'`), table).toEqual([['0']]);
  }
});

// Views are not one transaction: other tables may have taken the batch by then, which is why the sink checks columns first.
test('a batch whose counts do not add up is refused, and none of its movements are stored', async () => {
  const plan = { chain: 'miscounted', firstBlock: 1, blocks: 1, movementsPerBlock: 10 };
  const fields = blockFields(plan, 2);
  fields.tx_movements = list<number>(fields, 'tx_movements').with(0, 7);
  await expect(insert([...buildRecords(plan), encodeRecord(3, fields)], 'miscounted')).rejects.toMatchObject({
    code: expect.stringMatching(/^\d+$/),
  });
  for (const table of ['transfers', 'account_entries']) {
    expect(await rows(`SELECT count() FROM ${table} WHERE chain = 'miscounted'`), table).toEqual([['0']]);
  }
});
