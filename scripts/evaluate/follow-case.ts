import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Address } from '../../services/investigate/model/address.ts';
import { fromWholeUnits } from '../../services/investigate/model/amount.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import { buildBlock } from '../../services/testing/build-block.ts';
import type { Random } from '../../services/testing/world/random.ts';
import { readCsv } from './mixer-events.ts';

/** One transfer of a case, or of a stranger at one of its addresses: dollars, as raw units of the chain's coin. */
export type CaseTransfer = {
  readonly timeUnixSeconds: number;
  readonly txHash: string;
  readonly from: Address;
  readonly to: Address;
  readonly amountRaw: bigint;
};

/** What an investigator knows at first: where the money was taken, when it began to move on, and how much of it. */
export type Start = {
  readonly address: Address;
  readonly sinceUnixSeconds: number;
  readonly amountRaw: bigint;
};

export type FollowCase = {
  readonly chain: Chain;
  /** In order of time. */
  readonly transfers: readonly CaseTransfer[];
  readonly starts: readonly Start[];
};

/** Reads a case's folder (`transfers.csv`, may be gzipped, and `case.json`), but not its terminals. */
export const readFollowCase = (folder: string): FollowCase => {
  const zipped = join(folder, 'transfers.csv.gz');
  const rows = readCsv(existsSync(zipped) ? zipped : join(folder, 'transfers.csv'));
  const chain = findChain(rows[0]?.chain ?? '');
  if (chain === null) throw new Error(`${folder}: the chain of the transfers is not known`);
  const transfers = rows
    .map((row) => ({
      timeUnixSeconds: Number(row.time_unix),
      txHash: row.tx_hash ?? '',
      from: row.from ?? '',
      to: row.to ?? '',
      amountRaw: fromWholeUnits(Number(row.usd), chain.native.decimals),
    }))
    .sort((a, b) => a.timeUnixSeconds - b.timeUnixSeconds);
  const { start_addresses } = readCaseFile(folder);
  return { chain, transfers, starts: start_addresses.flatMap(({ address }) => toStart(address, transfers)) };
};

/** Where the money ended, as the case's annotators found it: for the grader only. */
export const readTerminals = (folder: string): Address[] =>
  readCaseFile(folder).terminals.map(({ address }) => address);

type CaseFile = Readonly<Record<'start_addresses' | 'terminals', readonly { readonly address: Address }[]>>;

const readCaseFile = (folder: string): CaseFile =>
  JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'));

const toStart = (address: Address, transfers: readonly CaseTransfer[]): Start[] => {
  const out = transfers.filter(({ from }) => from === address);
  const [first] = out;
  if (first === undefined) return [];
  const amountRaw = out.reduce((sum, transfer) => sum + transfer.amountRaw, 0n);
  return [{ address, sinceUnixSeconds: first.timeUnixSeconds, amountRaw }];
};

/** Money that came to an address and went on: all that a stranger's passage needs. */
type Passage = { readonly inRaw: bigint; readonly outRaw: bigint; readonly delaySeconds: number };

/**
 * Strangers whose money passes through the case's own addresses: for each true transfer `count` transfers in and out, half
 * of them at its sender and half at its receiver. What comes in, what of it goes on and after how long is drawn from the
 * passages of the case itself, the time from its transfers: nothing but whose money it was sets them apart.
 */
export const drawDecoys = ({ transfers }: FollowCase, count: number, random: Random): CaseTransfer[] => {
  const passages = findPassages(transfers);
  const decoys: CaseTransfer[] = [];
  for (const [at, { from, to }] of transfers.entries()) {
    for (let number = 0; number < count; number += 2) {
      const place = number % 4 === 0 ? from : to;
      const passage = random.pick(passages);
      const timeUnixSeconds = drawTime(transfers, random);
      const stranger = (side: string): Address => `stranger ${side} ${at}-${number}`;
      decoys.push({
        timeUnixSeconds,
        txHash: `decoy-in-${at}-${number}`,
        from: stranger('from'),
        to: place,
        amountRaw: passage.inRaw,
      });
      if (number + 1 === count) continue;
      decoys.push({
        timeUnixSeconds: timeUnixSeconds + passage.delaySeconds,
        txHash: `decoy-out-${at}-${number}`,
        from: place,
        to: stranger('to'),
        amountRaw: passage.outRaw,
      });
    }
  }
  return decoys;
};

/**
 * Each transfer with the next one that left its receiver, if that is no more: a stranger cannot send what did not come. In a
 * case without any such passage strangers pass everything on at once.
 */
const findPassages = (transfers: readonly CaseTransfer[]): Passage[] => {
  const passages = transfers.flatMap(({ to, amountRaw: inRaw, timeUnixSeconds }, at) => {
    const out = transfers.slice(at + 1).find(({ from }) => from === to);
    if (out === undefined || out.amountRaw > inRaw) return [];
    return [{ inRaw, outRaw: out.amountRaw, delaySeconds: out.timeUnixSeconds - timeUnixSeconds }];
  });
  if (passages.length > 0) return passages;
  return transfers.map(({ amountRaw }) => ({ inRaw: amountRaw, outRaw: amountRaw, delaySeconds: 0 }));
};

/** Somewhere between two transfers of the case that follow each other: dense where the case is. */
const drawTime = (transfers: readonly CaseTransfer[], random: Random): number => {
  const at = random.below(transfers.length);
  const low = transfers[at]?.timeUnixSeconds ?? 0;
  return random.between(low, transfers[at + 1]?.timeUnixSeconds ?? low);
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
