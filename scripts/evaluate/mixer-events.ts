import type { BlockTransaction, DecodedBlock } from '../../services/investigate/model/block.ts';
import type { Chain } from '../../services/investigate/model/chain.ts';
import { type Movement, NATIVE } from '../../services/investigate/model/movement.ts';
import type { Service } from '../../services/investigate/model/trace-reader.ts';
import { readTable, type TableRow, TIME_MAX, tableIn } from './read-table.ts';

/** Events have blocks, often without time: time is counted in blocks of this length from the chain's first. */
export const SECONDS_PER_BLOCK = 13.3;
export const BLOCK_MAX = Math.floor(TIME_MAX / SECONDS_PER_BLOCK);

export const timeOfBlock = (block: number): number => Math.floor(block * SECONDS_PER_BLOCK);

/** One row of the events. Unknown addresses are null. */
type MixerEvent = {
  readonly chain: Chain;
  readonly pool: string;
  readonly direction: (typeof DIRECTIONS)[number];
  readonly block: number;
  readonly txHash: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly relayer: string | null;
  readonly amountRaw: bigint;
  readonly feeRaw: bigint;
};

const DIRECTIONS = ['deposit', 'withdrawal'] as const;
const COLUMNS = [
  ...['chain', 'pool', 'direction', 'block_number', 'tx_hash'],
  ...['from', 'to', 'amount', 'fee', 'relayer'],
];

/**
 * The mixer's events as blocks, from the folder's `transfers.csv` or `.csv.gz`: a deposit is paid by its `from` (a
 * unique stranger if unknown), a withdrawal goes to its `to` and its fee to the relayer. Throws `BadInputError`.
 */
export const readMixerEvents = async (
  folder: string,
): Promise<{ blocks: DecodedBlock[]; services: Map<string, Service> }> => {
  const events = (await readTable(tableIn(folder, 'transfers'), COLUMNS)).map(toEvent);
  const services = new Map<string, Service>();
  for (const { pool } of events) services.set(pool, { entity: 'mixer', kind: 'mixer' });
  const byBlock = Map.groupBy(events, ({ chain, block }) => `${chain.name} ${block}`);
  const blocks = [...byBlock.values()].flatMap(toBlock).sort((a, b) => a.number - b.number);
  return { blocks, services };
};

const toEvent = (row: TableRow): MixerEvent => {
  const chain = row.chain('chain');
  const address = (column: string): string => row.address(column, chain);
  const amountRaw = row.raw('amount');
  const feeRaw = row.ifTold('fee', row.raw) ?? 0n;
  if (feeRaw > amountRaw) row.refuse('fee', 'is more than the amount');
  return {
    ...{ chain, amountRaw, feeRaw },
    pool: address('pool'),
    direction: row.word('direction', DIRECTIONS),
    block: row.whole('block_number', BLOCK_MAX),
    txHash: row.key('tx_hash'),
    from: row.ifTold('from', address),
    to: row.ifTold('to', address),
    relayer: row.ifTold('relayer', address),
  };
};

const toBlock = (events: readonly MixerEvent[]): DecodedBlock[] => {
  const [first] = events;
  if (first === undefined) return [];
  const transactions: BlockTransaction[] = [];
  const movements: Movement[] = [];
  for (const [hash, ofTransaction] of Map.groupBy(events, ({ txHash }) => txHash)) {
    const txIndex = transactions.length;
    transactions.push({ txIndex, hash, sender: '' });
    const rows = ofTransaction.flatMap(toRows);
    movements.push(
      ...rows.map((row, index) => ({ ...row, txIndex, index, kind: 'transfer' as const, authority: null })),
    );
  }
  const { chain, block: number } = first;
  return [
    {
      ...{ chain: chain.name, number, hash: `${number}`, timeUnixSeconds: timeOfBlock(number) },
      ...{ parentHash: '', parentNumber: null, transactions, movements },
      ...{ swaps: [], assets: [], bridgeTransfers: [], voteFeesRaw: 0n, problems: [], exempt: {} },
      ...{ controlEvents: [], controlCoverage: 'none' },
    },
  ];
};

type Row = Pick<Movement, 'from' | 'to' | 'asset' | 'amountRaw'>;

const toRows = ({ pool, txHash, direction, from, to, relayer, amountRaw, feeRaw }: MixerEvent): Row[] => {
  const row = (payer: string, payee: string, raw: bigint): Row => ({
    from: payer,
    to: payee,
    asset: NATIVE,
    amountRaw: raw,
  });
  if (direction === 'deposit') return [row(from ?? `unknown depositor of ${txHash}`, pool, amountRaw)];
  const out = row(pool, to ?? `unknown recipient of ${txHash}`, amountRaw - feeRaw);
  return feeRaw === 0n ? [out] : [out, row(pool, relayer ?? 'unknown relayer', feeRaw)];
};
