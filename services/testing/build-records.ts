import { createHash, hash } from 'node:crypto';
import { checkColumns } from '../events/check-columns.ts';
import { SEQUENCE_SLOTS } from '../events/event-sequence.ts';
import { CONTROL_KINDS } from '../investigate/model/control-event.ts';
import { MOVEMENT_KINDS } from '../investigate/model/movement.ts';
import { loadSchema } from '../platform/avro/schemas.ts';
import type { SequencedRecord } from '../warehouse/sink/insert-block-transfers.ts';

const { type } = loadSchema('BlockTransfers');
const SIGNATURE_LENGTH = 88;

export type RecordPlan = {
  readonly chain?: string;
  readonly firstBlock: number;
  readonly blocks: number;
  readonly movementsPerBlock: number;
};

/** A field of the event, as `schemas/avro/BlockTransfers.avsc` has it. */
export type BlockFields = Record<string, unknown>;

/** Deterministic blocks in which a few wallets are busy and most are not, as in real traffic. */
export function buildRecords(plan: RecordPlan): SequencedRecord[] {
  return Array.from({ length: plan.blocks }, (_, at) => {
    const number = plan.firstBlock + at;
    return encodeRecord(number * SEQUENCE_SLOTS, blockFields(plan, number));
  });
}

export function encodeRecord(sequence: number, fields: BlockFields): SequencedRecord {
  const avro = type.toBuffer(fields);
  return { sequence, avro, ...checkColumns(avro) };
}

/** About half as many transactions as movements, two rows of the block itself, a swap in every tenth transaction. */
export function blockFields(plan: RecordPlan, number: number): BlockFields {
  const random = randomOf(`${plan.chain}/${number}`);
  const count = plan.movementsPerBlock;
  const own = Math.min(2, count);
  const txCount = Math.ceil((count - own) / 2);
  const range = (length: number) => Array.from({ length }, (_, i) => i);
  const wallet = () => text(`wallet${Math.floor(random() ** 6 * 5_000_000)}`, 44);
  const asset = () => (random() < 0.5 ? 'native' : text(`asset${Math.floor(random() ** 3 * 1000)}`, 44));
  const hash = (tx: number) => text(`${number}/${tx}`, SIGNATURE_LENGTH);
  const movements = range(count);
  const from = movements.map((i) => (i < count - own ? wallet() : ''));
  const swaps = range(Math.floor(txCount / 10));
  return {
    chain: plan.chain ?? 'solana',
    block_number: number,
    block_hash: text(`block${number}`, 44),
    part: 0,
    parts: 1,
    parent_hash: text(`block${number - 1}`, 44),
    parent_number: number - 1,
    block_time: 1_700_000_000 + Math.floor(number * 0.4),
    vote_fees: amountBytes(5_000_000n),
    tx_index: [...range(txCount).map((i) => i * 3), -1],
    tx_hash: [...range(txCount).map(hash), ''],
    // Most transactions are sent by the one whose value they move first.
    tx_sender: [...range(txCount).map((tx) => (random() < 0.8 ? (from[tx * 2] ?? '') : wallet())), ''],
    tx_movements: [...range(txCount).map((i) => Math.min(2, count - own - 2 * i)), own],
    tx_swaps: [...range(txCount).map((i) => (i % 10 === 0 && i / 10 < swaps.length ? 1 : 0)), 0],
    m_index: movements.map((i) => (i < count - own ? i % 2 : i - (count - own))),
    m_kind: movements.map((i) => (i < count - own ? (i % 2) * 2 : MOVEMENT_KINDS.indexOf('reward'))),
    m_from: from,
    m_to: movements.map(wallet),
    m_asset: movements.map(asset),
    m_amount: movements.map(() => amountBytes(BigInt(Math.floor(random() ** 4 * 1e15)))),
    m_authority: movements.map(() => (random() < 0.1 ? wallet() : '')),
    s_index: swaps.map(() => 0),
    s_owner: swaps.map(wallet),
    s_gave_asset: swaps.map(asset),
    s_gave_amount: swaps.map((i) => amountBytes(BigInt(i) * 1000n)),
    s_got_asset: swaps.map(asset),
    s_got_amount: swaps.map((i) => amountBytes(BigInt(i) * 77n)),
    s_through: swaps.map(wallet),
    asset: ['native', text('asset1', 44)],
    asset_decimals: [9, 6],
    ...crossingFields(number),
    ...controlFields(txCount + 1),
  };
}

/** In every other block a bridge tells something, in every fourth with a number. */
function crossingFields(number: number): BlockFields {
  const column = <T>(value: T): T[] => (number % 2 === 0 ? [value] : []);
  return {
    b_tx_index: column(0),
    b_index: column(0),
    b_hash: column(text(`${number}/0`, 88)),
    b_bridge: column('cctp'),
    b_side: column(1),
    b_message: column(number % 4 === 0 ? `6:${number}` : ''),
    b_far_chain: column('base'),
    b_from: column(''),
    b_to: column(text('wallet1', 44)),
    b_asset: column('native'),
    b_amount: column(amountBytes(BigInt(number))),
  };
}

/** In every fifth transaction somebody approves something, or a program is called. */
function controlFields(transactions: number): BlockFields {
  const counts = Array.from({ length: transactions }, (_, tx) =>
    tx % 5 === 0 && tx + 1 < transactions ? 1 : 0,
  );
  const rows = counts.flatMap((count, tx) => (count === 1 ? [tx] : []));
  const isCall = (tx: number): boolean => tx % 10 === 5;
  const wallet = (tx: number): string => text(`wallet${tx}`, 44);
  return {
    keeps_control: [2],
    tx_controls: rows.length === 0 ? [] : counts,
    c_index: rows.map(() => 0),
    c_kind: rows.map((tx) => CONTROL_KINDS.indexOf(isCall(tx) ? 'calls' : 'approval')),
    c_subject: rows.map((tx) => text(`program${tx % 3}`, 44)),
    c_holder: rows.map((tx) => (isCall(tx) ? '' : wallet(tx))),
    // The sender calls, or somebody approves.
    c_party: rows.map((tx) => (isCall(tx) ? '*' : wallet(tx + 1))),
    c_asset: rows.map(() => ''),
    c_amount: rows.map((tx) => amountBytes(BigInt(tx))),
    c_detail: rows.map(() => ''),
    c_emitter: rows.map(() => ''),
    c_by_holder: rows.map((tx) => tx % 2),
  };
}

/** Unsigned, little-endian, without trailing zeros. */
export function amountBytes(amount: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = amount; rest > 0n; rest >>= 8n) bytes.push(Number(rest & 255n));
  return Buffer.from(bytes);
}

function text(seed: string, length: number): string {
  const digest = hash('sha512', seed, 'base64url').replace(/[-_]/g, 'x');
  return (length > digest.length ? digest + digest : digest).slice(0, length);
}

function randomOf(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
