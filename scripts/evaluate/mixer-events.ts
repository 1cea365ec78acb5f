import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import type { BlockTransaction, DecodedBlock } from '../../services/investigate/model/block.ts';
import { type Movement, NATIVE } from '../../services/investigate/model/movement.ts';
import type { Service } from '../../services/investigate/model/trace-reader.ts';

/** Events carry blocks, often no time: time is measured in blocks of this length from the chain's first. */
export const SECONDS_PER_BLOCK = 13.3;

export type CsvRow = Readonly<Record<string, string>>;

export const readCsv = (path: string): CsvRow[] => {
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return parse(text, { columns: true, skip_empty_lines: true }) as CsvRow[];
};

export const timeOfBlock = (block: number): number => Math.floor(block * SECONDS_PER_BLOCK);

/**
 * The mixer's events as blocks, in the folder's `transfers.csv` or `.csv.gz`: a deposit is paid by its `from` (nobody else's
 * where that is not known), a withdrawal to its `to`, its fee to the relayer.
 */
export const readMixerEvents = (
  folder: string,
): { blocks: DecodedBlock[]; services: Map<string, Service> } => {
  const plain = join(folder, 'transfers.csv');
  const events = readCsv(existsSync(plain) ? plain : `${plain}.gz`);
  const services = new Map<string, Service>();
  for (const { pool = '' } of events) services.set(pool, { entity: 'mixer', kind: 'mixer' });
  const byBlock = Map.groupBy(events, ({ chain, block_number }) => `${chain} ${block_number}`);
  const blocks = [...byBlock.values()].map(toBlock).sort((a, b) => a.number - b.number);
  return { blocks, services };
};

const toBlock = (events: readonly CsvRow[]): DecodedBlock => {
  const number = Number(events[0]?.block_number);
  const transactions: BlockTransaction[] = [];
  const movements: Movement[] = [];
  for (const [hash, ofTransaction] of Map.groupBy(events, ({ tx_hash = '' }) => tx_hash)) {
    const txIndex = transactions.length;
    transactions.push({ txIndex, hash, sender: '' });
    const rows = ofTransaction.flatMap(toRows);
    movements.push(
      ...rows.map((row, index) => ({ ...row, txIndex, index, kind: 'transfer' as const, authority: null })),
    );
  }
  return {
    chain: events[0]?.chain ?? '',
    number,
    hash: `${number}`,
    parentHash: '',
    parentNumber: null,
    timeUnixSeconds: timeOfBlock(number),
    transactions,
    movements,
    swaps: [],
    assets: [],
    bridgeTransfers: [],
    voteFeesRaw: 0n,
    problems: [],
    exempt: {},
  };
};

type Row = Pick<Movement, 'from' | 'to' | 'asset' | 'amountRaw'>;

const toRows = (event: CsvRow): Row[] => {
  const { pool = '', tx_hash, direction, from, to, relayer } = event;
  const amountRaw = BigInt(event.amount || 0);
  const feeRaw = BigInt(event.fee || 0);
  const row = (payer: string, payee: string, raw: bigint): Row => ({
    from: payer,
    to: payee,
    asset: NATIVE,
    amountRaw: raw,
  });
  if (direction === 'deposit') return [row(from || `unknown depositor of ${tx_hash}`, pool, amountRaw)];
  const out = row(pool, to || `unknown recipient of ${tx_hash}`, amountRaw - feeRaw);
  return feeRaw === 0n ? [out] : [out, row(pool, relayer || 'unknown relayer', feeRaw)];
};
