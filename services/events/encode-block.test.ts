import avsc from 'avsc';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { CONTROL_KINDS, type ControlEvent } from '../investigate/model/control-event.ts';
import { MOVEMENT_KINDS, type Movement } from '../investigate/model/movement.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import { splitRecord } from '../platform/avro/wire-format.ts';
import { type BlockTransfersPart, blockParts, readPart } from '../testing/block-parts.ts';
import { createBlockEncoder, createTransactionEncoder } from './encode-block.ts';
import { readLoneTransaction } from './lone-transaction.ts';
import { PART_BYTES_MAX } from './split-block.ts';

const schema = loadSchema('BlockTransfers');

const amountOf = (bytes: Buffer): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

const movement = (txIndex: number | null, index: number, extra: Partial<Movement> = {}): Movement => ({
  txIndex,
  index,
  kind: 'transfer',
  from: `from-${txIndex}-${index}`.padEnd(44, 'f'),
  to: `to-${txIndex}-${index}`.padEnd(44, 't'),
  asset: 'native',
  amountRaw: BigInt(index) + 1n,
  authority: null,
  ...extra,
});

const block = (rows: readonly number[], extra: Partial<DecodedBlock> = {}): DecodedBlock => ({
  chain: 'solana',
  number: 7,
  hash: 'hash',
  parentHash: 'parent',
  parentNumber: 6,
  timeUnixSeconds: 1_700_000_000,
  transactions: rows.map((_, txIndex) => ({ txIndex, hash: `sig${txIndex}`, sender: `payer${txIndex}` })),
  movements: rows.flatMap((count, txIndex) =>
    Array.from({ length: count }, (_, index) => movement(txIndex, index)),
  ),
  swaps: [],
  assets: [],
  bridgeTransfers: [],
  controlEvents: [],
  controlCoverage: 'none',
  voteFeesRaw: 0n,
  problems: [],
  exempt: {},
  ...extra,
});

/** Spreads a column of transactions over the rows that are theirs, as the warehouse does. */
const spread = <T>(values: readonly T[], counts: readonly number[]): T[] =>
  values.flatMap((value, i) => Array<T>(counts[i] ?? 0).fill(value));

/** Reads the rows back as (transaction hash, index, amount), whatever part they are in. */
const rowsOf = (parts: readonly BlockTransfersPart[]) =>
  parts.flatMap((p) => {
    const hashes = spread(p.tx_hash, p.tx_movements);
    return p.m_index.map((index, i) => [hashes[i], index, amountOf(p.m_amount[i] ?? Buffer.alloc(0))]);
  });

test('however a block is split, every row comes back once, in order, with its transaction', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 30 }),
      fc.integer({ min: 1_500, max: 40_000 }),
      (rows, bytesMax) => {
        const source = block(rows);
        const parts = blockParts(source, bytesMax);
        expect(rowsOf(parts)).toEqual(source.movements.map((m) => [`sig${m.txIndex}`, m.index, m.amountRaw]));
        expect(parts.map((p) => [p.part, p.parts])).toEqual(parts.map((_, i) => [i, parts.length]));
        for (const record of createBlockEncoder(1, bytesMax)(source)) {
          expect(record.length).toBeLessThan(bytesMax);
          expect(splitRecord(record).body).toEqual(schema.type.toBuffer(readPart(record)));
        }
      },
    ),
  );
});

test('a block of many rows becomes several records, each under the limit', () => {
  const encode = createBlockEncoder(1);
  const records = encode(block(Array.from({ length: 3_000 }, () => 5)));
  expect(records.length).toBeGreaterThan(1);
  for (const record of records) expect(record.length).toBeLessThan(PART_BYTES_MAX);
  expect(rowsOf(records.map(readPart))).toHaveLength(15_000);
});

test('a single transaction larger than a part is continued in the next one', () => {
  const parts = blockParts(block([200]), 8_000);
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.every((p) => p.tx_hash.length === 1)).toBe(true);
  expect(rowsOf(parts)).toHaveLength(200);
});

test('an empty block is one record, and missing values have their written stand-ins', () => {
  const [part] = blockParts(block([], { parentNumber: null, timeUnixSeconds: null, voteFeesRaw: 5_000n }));
  expect(part).toMatchObject({ parts: 1, parent_number: -1, block_time: 0 });
  expect(amountOf(part?.vote_fees ?? Buffer.alloc(0))).toBe(5_000n);
});

test('swaps, block rows, every kind and assets are carried', () => {
  const kinds = MOVEMENT_KINDS.map((kind, index) => movement(0, index, { kind, authority: 'delegate' }));
  const swap = {
    txIndex: 0,
    index: 0,
    owner: 'o',
    gaveAsset: 'a',
    gaveRaw: 9n,
    gotAsset: 'b',
    gotRaw: 300n,
    through: null,
  };
  const source = block([1], {
    movements: [...kinds, movement(null, 0, { kind: 'reward', from: null })],
    swaps: [swap],
    assets: [{ asset: 'a', decimals: 6 }],
  });
  const [part] = blockParts(source);
  expect(part?.m_kind).toEqual([...MOVEMENT_KINDS.keys(), MOVEMENT_KINDS.indexOf('reward')]);
  expect(part).toMatchObject({
    tx_index: [0, -1],
    tx_hash: ['sig0', ''],
    tx_movements: [MOVEMENT_KINDS.length, 1],
  });
  expect(part?.m_from.at(-1)).toBe('');
  expect(part).toMatchObject({
    tx_swaps: [1, 0],
    s_owner: ['o'],
    s_through: [''],
    asset: ['a'],
    asset_decimals: [6],
  });
  expect(amountOf(part?.s_got_amount[0] ?? Buffer.alloc(0))).toBe(300n);
});

test('what bridges told is carried with the hash of its transaction, and what they did not tell as nothing', () => {
  const deposit = {
    ...({ txIndex: 0, index: 0, bridge: 'cctp', side: 'delivery', messageId: null, farChain: null } as const),
    ...{ from: null, to: 'b', asset: 'native', amountRaw: 300n },
  };
  const [part] = blockParts(block([1], { bridgeTransfers: [deposit] }));
  expect(part).toMatchObject({
    ...{ b_tx_index: [0], b_index: [0], b_hash: ['sig0'], b_bridge: ['cctp'], b_side: [1], b_message: [''] },
    ...{ b_far_chain: [''], b_from: [''], b_to: ['b'], b_asset: ['native'] },
  });
  expect(amountOf(part?.b_amount[0] ?? Buffer.alloc(0))).toBe(300n);
  expect(() => blockParts(block([], { bridgeTransfers: [deposit] }))).toThrow(RangeError);
});

test('a transaction that has crossings and no other row is listed once, also where it comes without its block', () => {
  const crossing = (txIndex: number, index: number) => ({
    ...({ txIndex, index, bridge: 'across', side: 'delivery', messageId: '1:42', farChain: null } as const),
    ...{ from: null, to: 'b', asset: 'token', amountRaw: 300n },
  });
  const bridgeTransfers = [crossing(0, 0), crossing(1, 0), crossing(1, 1), crossing(2, 0)];
  const [part] = blockParts(block([2, 0, 1], { bridgeTransfers }));
  expect(part).toMatchObject({ tx_index: [0, 2, 1], tx_movements: [2, 1, 0], b_tx_index: [0, 1, 1, 2] });
  const record = createTransactionEncoder(1)(block([0], { bridgeTransfers: [crossing(0, 0)] }));
  const body = splitRecord(record ?? Buffer.alloc(0)).body;
  expect(readLoneTransaction(loadSchema('TransactionTransfers'), body)).toMatchObject({ hash: 'sig0' });
});

const control = (txIndex: number, index: number, extra: Partial<ControlEvent> = {}): ControlEvent => ({
  ...{ txIndex, index, kind: 'approval', subject: 'token', holder: 'owner', party: 'spender', asset: null },
  ...{ amountRaw: 300n, detail: null, emitter: null, byHolder: false },
  ...extra,
});

test('control events are carried with their transactions, however the block is split', () => {
  const controlEvents = [0, 1, 2, 3].flatMap((tx) => [control(tx, 0), control(tx, 1, { kind: 'calls' })]);
  const source = block([30, 0, 25, 1], { controlEvents, controlCoverage: 'outer' });
  for (const bytesMax of [6_000, PART_BYTES_MAX]) {
    const parts = blockParts(source, bytesMax);
    expect(parts.length > 1).toBe(bytesMax === 6_000);
    const found = parts.flatMap((p) => {
      expect(p.keeps_control).toEqual([1]);
      return spread(p.tx_hash, p.tx_controls).map((hash, i) => [hash, p.c_index[i], p.c_kind[i]]);
    });
    const expected = controlEvents.map((e) => [`sig${e.txIndex}`, e.index, CONTROL_KINDS.indexOf(e.kind)]);
    expect(found.sort()).toEqual(expected.sort());
  }
});

test('what a control event does not tell is written as nothing, and its transaction is listed once beside its crossings', () => {
  const deposit = {
    ...({ txIndex: 0, index: 0, bridge: 'cctp', side: 'delivery', messageId: null, farChain: null } as const),
    ...{ from: null, to: 'b', asset: 'native', amountRaw: 300n },
  };
  const told = { kind: 'authority_changed', holder: null, party: null, detail: 'mint' } as const;
  const controlEvents = [
    control(0, 0, told),
    control(0, 1, { holder: 'payer0', byHolder: true, emitter: 'permit2' }),
  ];
  const [part] = blockParts(
    block([0], { controlEvents, controlCoverage: 'full', bridgeTransfers: [deposit] }),
  );
  expect(part).toMatchObject({
    ...{ tx_index: [0], tx_controls: [2], b_tx_index: [0], keeps_control: [2], c_by_holder: [0, 1] },
    ...{
      c_holder: ['', '*'],
      c_party: ['', 'spender'],
      c_detail: ['mint', ''],
      c_emitter: ['', 'permit2'],
    },
  });
  expect(part?.c_amount.map(amountOf)).toEqual([300n, 300n]);
  expect(() => blockParts(block([], { controlEvents }))).toThrow(RangeError);
  const [none] = blockParts(block([1]));
  expect(none).toMatchObject({ keeps_control: [], tx_controls: [], c_index: [] });
});

test('a row of a transaction that the block does not list is refused, not stored without its hash', () => {
  expect(() => blockParts(block([], { movements: [movement(3, 0)] }))).toThrow(RangeError);
});

test('a record far larger than the scratch buffer is encoded whole', () => {
  const wide = block([1], { movements: [movement(0, 0, { asset: 'x'.repeat(3_000_000) })] });
  const [part] = blockParts(wide);
  expect(part?.m_asset[0]).toHaveLength(3_000_000);
});

test('the committed schema is one that avsc accepts under its own name', () => {
  expect(schema.type).toBeInstanceOf(avsc.Type);
  expect(schema.name).toBe('spoor.BlockTransfers');
});
