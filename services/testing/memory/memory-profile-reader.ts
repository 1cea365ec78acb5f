import { toCanonicalAsset } from '../../investigate/model/asset.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { findChain } from '../../investigate/model/chain.ts';
import type { Label } from '../../investigate/model/label.ts';
import type { Entry, ProfileReader, SaidLabel } from '../../investigate/model/profile-reader.ts';
import type { Service } from '../../investigate/model/trace-reader.ts';
import {
  compareTransactions,
  HAND_OVER_KINDS,
  transactionKey,
} from '../../investigate/model/transfer-reader.ts';
import { createMemoryReader } from '../memory-reader.ts';
import { createMemoryTraceReader } from './memory-trace-reader.ts';
import type { IndexedBlocks } from './span-of.ts';

export type MemoryProfileOptions = IndexedBlocks & {
  readonly labels?: ReadonlyMap<string, Label>;
  readonly services?: ReadonlyMap<string, Service>;
};

/** The profile reader over blocks in memory: what every other reader must agree with. */
export const createMemoryProfileReader = (
  blocks: readonly DecodedBlock[],
  { labels = new Map(), services = new Map(), ...indexed }: MemoryProfileOptions = {},
): ProfileReader => {
  const transfers = createMemoryReader(blocks, { labels, ...indexed });
  const trace = createMemoryTraceReader(blocks, { labels, services });
  const entriesOf = (chain: string, wallet: string): Entry[] =>
    blocks.filter((block) => block.chain === chain).flatMap((block) => toEntries(block, wallet));
  const transactionsOf = (entries: readonly Entry[]): number =>
    new Set(entries.filter(({ txIndex }) => txIndex >= 0).map(transactionKey)).size;
  return {
    contiguousRange: transfers.contiguousRange,
    wholeTransactions: transfers.wholeTransactions,
    transactionHashes: transfers.transactionHashes,
    ...{ labels: trace.labels, services: trace.services, neighbours: trace.neighbours },
    transactionCount: async ({ chain, wallet, limit }) =>
      Math.min(limit, transactionsOf(entriesOf(chain, wallet))),
    entries: async ({ chain, wallet, limit }) =>
      entriesOf(chain, wallet)
        .toSorted(
          (a, b) => compareTransactions(b, a) || b.index - a.index || (a.direction < b.direction ? -1 : 1),
        )
        .slice(0, limit),
    summary: async ({ chain, wallet }) => {
      const entries = entriesOf(chain, wallet);
      if (entries.length === 0) return null;
      const times = entries.map(({ blockTime }) => blockTime);
      const handed = entries.filter((entry) => isHandOver(entry, wallet));
      const side = (of: readonly Entry[], direction: Entry['direction']) => ({
        transfers: of.filter((entry) => entry.direction === direction && isHandOver(entry, wallet)).length,
        sumRaw: of
          .filter((entry) => entry.direction === direction)
          .reduce((sum, { amountRaw }) => sum + amountRaw, 0n),
      });
      return {
        transactions: transactionsOf(entries),
        counterparties: new Set(handed.map(({ counterparty }) => counterparty)).size,
        rows: entries.length,
        firstUnixSeconds: Math.min(...times),
        lastUnixSeconds: Math.max(...times),
        canonicalAssets: [...Map.groupBy(entries, ({ canonicalAsset }) => canonicalAsset)]
          .map(([canonicalAsset, of]) => ({
            canonicalAsset,
            in: side(of, 'in'),
            out: side(of, 'out'),
            rows: of.length,
          }))
          .toSorted(
            (a, b) =>
              Number(b.canonicalAsset === 'native') - Number(a.canonicalAsset === 'native') ||
              b.rows - a.rows ||
              (a.canonicalAsset < b.canonicalAsset ? -1 : 1),
          )
          .map(({ rows: _, ...canonicalAsset }) => canonicalAsset),
      };
    },
    firstFunding: async ({ chain, wallet }) => {
      const [first] = entriesOf(chain, wallet)
        .filter(
          (entry) =>
            entry.direction === 'in' && entry.canonicalAsset === 'native' && isHandOver(entry, wallet),
        )
        .toSorted((a, b) => compareTransactions(a, b) || a.index - b.index);
      if (first === undefined) return null;
      const { blockTime, blockNumber, txIndex, counterparty, amountRaw } = first;
      return { blockTime, blockNumber, txIndex, amountRaw, funder: counterparty ?? '' };
    },
    flowsAround: async ({ chain, wallets, canonicalAssets }) =>
      wallets.flatMap((wallet) => {
        const entries = entriesOf(chain, wallet).filter(({ canonicalAsset }) =>
          canonicalAssets.includes(canonicalAsset),
        );
        if (entries.length === 0) return [];
        const flows = entries.flatMap(({ kind, isSender, ...entry }) => {
          const { counterparty } = entry;
          return counterparty !== null && isHandOver({ kind, isSender, ...entry }, wallet)
            ? [{ ...entry, counterparty }]
            : [];
        });
        const signs = entries.some(({ isSender }) => isSender);
        const inOrder = flows.toSorted((a, b) => compareTransactions(a, b) || a.index - b.index);
        return [{ wallet, flows: inOrder, isComplete: true, signs }];
      }),
    firstSeen: async ({ chain, wallets }) =>
      new Map(
        wallets.flatMap((wallet) => {
          const [first] = entriesOf(chain, wallet).toSorted(compareTransactions);
          if (first === undefined) return [];
          const { blockTime, blockNumber, txIndex } = first;
          return [[wallet, { blockTime, blockNumber, txIndex }] as const];
        }),
      ),
    imitated: async ({ chain, lookalike }, among) => {
      const [came] = entriesOf(chain, lookalike).toSorted(compareTransactions);
      return among.map((victim) => {
        const met = new Set(entriesOf(chain, victim).flatMap(({ counterparty }) => counterparty ?? []));
        const known = [...met].flatMap((address) => {
          const [first] = entriesOf(chain, address).toSorted(compareTransactions);
          const isOriginal = address !== lookalike && shapeOf(address) === shapeOf(lookalike);
          return isOriginal && first && came && compareTransactions(first, came) < 0
            ? [{ address, first }]
            : [];
        });
        const [original] = known.toSorted((a, b) => compareTransactions(a.first, b.first));
        return original?.address ?? null;
      });
    },
    labelsSaid: async ({ chain, wallet }) => {
      const label = labels.get(wallet);
      return label ? [toSaid(label, chain, services.get(wallet)?.entity ?? '')] : [];
    },
    indexedHead: async ({ chain }) =>
      blocks.reduce<number | null>(
        (head, block) => (block.chain === chain ? Math.max(head ?? 0, block.number) : head),
        null,
      ),
  };
};

/** As it is derived: three characters in front, four behind. */
const shapeOf = (address: string): string => {
  const shown = address.startsWith('0x') ? address.slice(2) : address;
  return shown.slice(0, 3) + shown.slice(-4);
};

const isHandOver = ({ kind, amountRaw, counterparty }: Entry, wallet: string): boolean =>
  (HAND_OVER_KINDS as readonly string[]).includes(kind) &&
  amountRaw > 0n &&
  counterparty !== null &&
  counterparty !== wallet;

const toEntries = (block: DecodedBlock, wallet: string): Entry[] => {
  const chain = findChain(block.chain);
  if (chain === null) throw new Error(`chain ${block.chain} is not known`);
  const senders = new Map(block.transactions.map(({ txIndex, sender }) => [txIndex, sender]));
  const swapped = new Set(block.swaps.filter(({ owner }) => owner === wallet).map(({ txIndex }) => txIndex));
  return block.movements.flatMap(({ txIndex, index, kind, from, to, asset, amountRaw }) =>
    (['out', 'in'] as const)
      .filter((direction) => wallet === (direction === 'out' ? from : to))
      .map((direction) => ({
        ...{ blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number, txIndex: txIndex ?? -1 },
        ...{ direction, index, kind, amountRaw, canonicalAsset: toCanonicalAsset(chain, asset) },
        counterparty: direction === 'out' ? to : from,
        isSender: txIndex !== null && senders.get(txIndex) === wallet,
        isSwap: txIndex !== null && swapped.has(txIndex),
      })),
  );
};

const toSaid = ({ name, kind }: Label, chain: string, entity: string): SaidLabel => ({
  ...{ chain, name, kind, entity, category: '', source: 'test', creator: '', confidence: 0.9 },
  ...{ validFrom: null, validTo: null, inheritedFrom: null, evidence: '', assertedAt: 0 },
});
