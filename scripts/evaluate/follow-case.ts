import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Address, parseAddress } from '../../services/investigate/model/address.ts';
import { fromWholeUnits } from '../../services/investigate/model/amount.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import type { Chain } from '../../services/investigate/model/chain.ts';
import { buildBlock } from '../../services/testing/build-block.ts';
import type { CaseTransfer } from './case-transfer.ts';
import { orderTransfers } from './order-transfers.ts';
import { BadInputError, readTable, type TableRow, TIME_MAX, tableIn } from './read-table.ts';

/** What an investigator knows at first: where the money was taken, when it began to move, and how much. */
export type Start = {
  readonly address: Address;
  readonly sinceUnixSeconds: number;
  readonly amountRaw: bigint;
};

export type FollowCase = {
  readonly chain: Chain;
  /** In time order, and within a second so that money can continue. */
  readonly transfers: readonly CaseTransfer[];
  readonly starts: readonly Start[];
  /** Refused rows, with line and reason. */
  readonly refused: readonly BadInputError[];
};

const COLUMNS = ['chain', 'time_unix', 'tx_hash', 'from', 'to', 'usd'];

/**
 * Reads a case's folder (`transfers.csv` and `case.json`, optionally gzipped), but not its terminals. Malformed
 * rows, and rows of another chain than the first good one, are refused and reported. Throws `BadInputError` if no
 * row is good, or if no named start paid anybody.
 */
export const readFollowCase = async (folder: string): Promise<FollowCase> => {
  const refused: BadInputError[] = [];
  const rows = await readTable(tableIn(folder, 'transfers'), COLUMNS, (error) => refused.push(error));
  let chain: Chain | null = null;
  const good: CaseTransfer[] = [];
  for (const row of rows) {
    try {
      const of = row.chain('chain');
      if (chain !== null && of !== chain) row.refuse('chain', `is not ${chain.name}, as of the rows before`);
      good.push(toTransfer(row, of));
      chain = of;
    } catch (error) {
      if (!(error instanceof BadInputError)) throw error;
      refused.push(error);
    }
  }
  if (chain === null) throw refused[0] ?? new BadInputError(folder, 'has no transfers');
  const transfers = orderTransfers(good);
  const of = chain;
  const starts = readAddresses(folder, 'start_addresses', of).flatMap((address) =>
    toStart(address, transfers),
  );
  if (starts.length === 0)
    throw new BadInputError(join(folder, CASE_FILE), 'start_addresses: none of them paid anybody');
  return { chain, transfers, starts, refused };
};

/** The annotated terminals, for the grader only. Throws `BadInputError`. */
export const readTerminals = (folder: string, chain: Chain): readonly Address[] =>
  readAddresses(folder, 'terminals', chain);

const toTransfer = (row: TableRow, chain: Chain): CaseTransfer => ({
  timeUnixSeconds: row.whole('time_unix', TIME_MAX),
  txHash: row.key('tx_hash'),
  from: row.address('from', chain),
  to: row.address('to', chain),
  amountRaw: fromWholeUnits(row.decimal('usd'), chain.native.decimals),
});

const CASE_FILE = 'case.json';

const readAddresses = (
  folder: string,
  list: 'start_addresses' | 'terminals',
  chain: Chain,
): readonly Address[] => {
  const plain = join(folder, CASE_FILE);
  const path = existsSync(plain) ? plain : `${plain}.gz`;
  const refuse = (problem: string): never => {
    throw new BadInputError(path, problem);
  };
  const parsed = caseSchema.safeParse(parseJson(path));
  if (!parsed.success) return refuse(z.prettifyError(parsed.error));
  return parsed.data[list].map(({ address: text }, at) => {
    const address = parseAddress(chain, text);
    return address.ok ? address.address : refuse(`${list}[${at}].address: ${text} ${address.message}`);
  });
};

const addresses = z.array(z.object({ address: z.string() })).min(1);
const caseSchema = z.object({ start_addresses: addresses, terminals: addresses });

const parseJson = (path: string): unknown => {
  try {
    const bytes = readFileSync(path);
    return JSON.parse(new TextDecoder().decode(path.endsWith('.gz') ? gunzipSync(bytes) : bytes));
  } catch (error) {
    throw new BadInputError(path, error instanceof Error ? error.message : String(error));
  }
};

const toStart = (address: Address, transfers: readonly CaseTransfer[]): Start[] => {
  const out = transfers.filter(({ from }) => from === address);
  const [first] = out;
  if (first === undefined) return [];
  const amountRaw = out.reduce((sum, transfer) => sum + transfer.amountRaw, 0n);
  return [{ address, sinceUnixSeconds: first.timeUnixSeconds, amountRaw }];
};

/** A block per transaction in time order; the coin stands for dollars. */
export const toBlocks = (chain: Chain, transfers: readonly CaseTransfer[]): DecodedBlock[] => {
  const sorted = transfers.toSorted((a, b) => a.timeUnixSeconds - b.timeUnixSeconds);
  return [...Map.groupBy(sorted, ({ txHash }) => txHash)].map(([hash, movements], number) =>
    buildBlock({
      chain: chain.name,
      number,
      timeUnixSeconds: movements[0]?.timeUnixSeconds ?? 0,
      transactions: [{ hash, sender: movements[0]?.from ?? '', movements }],
    }),
  );
};
