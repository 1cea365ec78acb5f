import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Address, parseAddress } from '../../services/investigate/model/address.ts';
import { fromWholeUnits } from '../../services/investigate/model/amount.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import type { Chain } from '../../services/investigate/model/chain.ts';
import { buildBlock } from '../../services/testing/build-block.ts';
import type { CaseTransfer } from './case-transfer.ts';
import { orderTransfers } from './order-transfers.ts';
import { BadInputError, readTable, type TableRow, TIME_MAX, tableIn } from './read-table.ts';

/** What an investigator knows at first: where the money was taken, when it began to move on, and how much of it. */
export type Start = {
  readonly address: Address;
  readonly sinceUnixSeconds: number;
  readonly amountRaw: bigint;
};

export type FollowCase = {
  readonly chain: Chain;
  /** In order of time, and in each second so that money can go on. */
  readonly transfers: readonly CaseTransfer[];
  readonly starts: readonly Start[];
};

const COLUMNS = ['chain', 'time_unix', 'tx_hash', 'from', 'to', 'usd'];

/**
 * Reads a case's folder (`transfers.csv`, may be gzipped, and `case.json`), but not its terminals. Throws `BadInputError` where a
 * row is not of the form or the chain of the others, and where nobody whom the case names as the start paid anybody.
 */
export const readFollowCase = async (folder: string): Promise<FollowCase> => {
  const rows = await readTable(tableIn(folder, 'transfers'), COLUMNS);
  const [first] = rows;
  if (first === undefined) throw new BadInputError(folder, 'has no transfers');
  const chain = first.chain('chain');
  const transfers = toTransfers(rows, chain);
  const starts = readAddresses(folder, 'start_addresses', chain).flatMap((address) =>
    toStart(address, transfers),
  );
  if (starts.length === 0)
    throw new BadInputError(join(folder, CASE_FILE), 'start_addresses: none of them paid anybody');
  return { chain, transfers, starts };
};

/** Where the money ended, as the case's annotators found it: for the grader only. Throws `BadInputError`. */
export const readTerminals = (folder: string, chain: Chain): readonly Address[] =>
  readAddresses(folder, 'terminals', chain);

/** All rows are of the first one's. */
const toTransfers = (rows: readonly TableRow[], chain: Chain): CaseTransfer[] =>
  orderTransfers(
    rows.map((row) => {
      if (row.chain('chain') !== chain) row.refuse('chain', `is not ${chain.name}, as of the first row`);
      return toTransfer(row, chain);
    }),
  );

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
  const path = join(folder, CASE_FILE);
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
    return JSON.parse(new TextDecoder().decode(readFileSync(path)));
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

/** A block for each transaction, in order of time; the coin stands for dollars. */
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
