import type { Address } from '../../model/address.ts';
import type { Chain } from '../../model/chain.ts';
import type { Label } from '../../model/label.ts';
import {
  compareRows,
  compareRowsBackward,
  type Flow,
  type FlowPage,
  type FlowsRequest,
  type ReadLimits,
  type RowPosition,
  type TransactionPosition,
  type TransactionRow,
  type TransferReader,
  transactionKey,
} from '../../model/transfer-reader.ts';
import type { FlowSide } from '../direction.ts';
import { END_OF_TIME } from '../find-asset.ts';
import { BudgetSpentError, type TablesRead } from '../follow-reader.ts';
import { readTransactions } from '../read-transactions.ts';
import { FLOW_ROWS_REFUSED, SALE_QUESTIONS_MAX, WAYS_MAX } from '../rules.ts';
import { type AskOne, askOnce, askTogether } from './ask-together.ts';

/** The questions to the tables so far. */
export type ReadCounts = { readonly questions: number; readonly wallets: number; readonly rows: number };

/** Rows of one side of a wallet, in that side's order, without a gap; `next` is null where there are no more. */
type Section = { readonly from: RowPosition; rows: Flow[]; next: RowPosition | null };
type Place = { readonly wallet: Address; readonly from: RowPosition };

type Together = {
  readonly reader: TransferReader;
  readonly counts: () => ReadCounts;
  /** Transactions with too many rows, by `transactionKey`: what they hold is not known. */
  readonly unread: ReadonlySet<string>;
};

type Flowing = {
  readonly chain: Chain;
  /** Nothing of the flow lies before it. */
  readonly first: RowPosition;
  readonly rowsMax?: number;
};

/**
 * A reader for one flow. It keeps what it read, so that no row of a wallet, no transaction and no label is asked for twice, and asks
 * as one question for what several wallets wait for at the same time. Beyond `rowsMax` rows it throws `BudgetSpentError`.
 */
export const readTogether = (
  tables: TransferReader,
  { chain, first, rowsMax = FLOW_ROWS_REFUSED }: Flowing,
): Together => {
  const sections = new Map<string, Section[]>();
  const wallets = new Set<Address>();
  let questions = 0;
  let rowsRead = 0;

  const reader = new Proxy(tables, {
    get: (all, name: keyof TransferReader) => (request: never) => {
      questions += 1;
      return Reflect.apply(all[name], all, [request]);
    },
  });
  const refuseFull = (): void => {
    if (rowsRead >= rowsMax) throw new BudgetSpentError();
  };

  const pagesOf = new Map<string, AskOne<Place, FlowPage>>();
  const load = async (side: FlowSide, request: FlowsRequest, from: RowPosition): Promise<FlowPage> => {
    refuseFull();
    const { wallet, from: _, signal, timeoutMs, ...asked } = request;
    wallets.add(wallet);
    const key = `${side} ${JSON.stringify(asked)}`;
    const ask =
      pagesOf.get(key) ??
      askTogether<Place, FlowPage>(async (places, limits) => {
        const pages = await reader.flowsTogether({ ...asked, ...limits, side, places });
        for (const { rows } of pages) rowsRead += rows.length;
        return pages;
      });
    pagesOf.set(key, ask);
    return ask({ wallet, from }, { signal, timeoutMs });
  };

  const begin = async (side: FlowSide, request: FlowsRequest, from: RowPosition): Promise<Section> => {
    const { rows, next } = await load(side, request, from);
    return { from, rows: [...rows], next };
  };

  const turns = new Map<string, Promise<unknown>>();
  /** Who asks for a side of a wallet that is being read waits, and is given what was read. */
  const read = (side: FlowSide, { aheadRaw: _, ...request }: FlowsRequest): Promise<FlowPage> => {
    const key = `${side} ${request.wallet} ${request.ownOnly} ${request.transfersOnly ?? false}`;
    const known = sections.get(key) ?? [];
    sections.set(key, known);
    const page = (turns.get(key) ?? Promise.resolve()).then(() => readFrom(known, side, request));
    turns.set(
      key,
      page.catch(() => undefined),
    );
    return page;
  };

  const readFrom = async (known: Section[], side: FlowSide, request: FlowsRequest): Promise<FlowPage> => {
    const compare = side === 'departures' ? compareRows : compareRowsBackward;
    if (known.length === 0)
      known.push(await begin(side, request, side === 'departures' ? first : END_OF_TIME));
    const reaches = ({ from, next }: Section): boolean =>
      compare(from, request.from) <= 0 && (next === null || compare(next, request.from) >= 0);
    let section = known.find(reaches);
    if (section === undefined) {
      section = await begin(side, request, request.from);
      known.push(section);
    }
    let rows = section.rows.filter((row) => compare(row, request.from) >= 0);
    if (rows.length === 0 && section.next !== null) {
      const page = await load(side, request, section.next);
      section.rows = [...section.rows, ...page.rows];
      section.next = page.next;
      rows = page.rows.filter((row) => compare(row, request.from) >= 0);
    }
    const page = rows.slice(0, request.limit);
    const last = page.at(-1);
    if (rows.length <= request.limit || last === undefined) return { rows: page, next: section.next };
    const { blockTime, blockNumber, txIndex, step } = last;
    return { rows: page, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
  };

  /** All outflows of a wallet are known or being asked for, including swaps. */
  const readDepartures = async ({ transfersOnly = false, ...request }: FlowsRequest): Promise<FlowPage> => {
    const page = await read('departures', request);
    return transfersOnly ? { ...page, rows: page.rows.filter(({ type }) => type === 'transfer') } : page;
  };

  const tooFull = new Set<string>();
  /** null if it had too many rows. One wallet may ask for `WAYS_MAX`; many wallets have as many questions as each alone. */
  const rowsOf = askOnce(
    transactionKey,
    askTogether<TransactionPosition, readonly TransactionRow[] | null>(async (positions, limits) => {
      refuseFull();
      const questionsMax = SALE_QUESTIONS_MAX * Math.ceil(positions.length / WAYS_MAX);
      const ask = within(reader, limits);
      const { rows, unread } = await readTransactions(chain, positions, ask, questionsMax);
      for (const of of rows.values()) rowsRead += of.length;
      for (const key of unread) tooFull.add(key);
      return positions.map(transactionKey).map((key) => (unread.has(key) ? null : (rows.get(key) ?? [])));
    }),
  );
  const labelOf = askOnce(
    (address: Address) => address,
    askTogether<Address, Label | null>(async (addresses, limits) => {
      const labels = await reader.labels({ chain: chain.name, addresses, ...limits });
      return addresses.map((address) => labels.get(address) ?? null);
    }),
  );

  const together: Partial<TransferReader> = {
    departures: readDepartures,
    arrivals: (request) => read('arrivals', request),
    wholeTransactions: async ({ positions, ...limits }) => {
      const all = await Promise.all(positions.map((position) => rowsOf(position, limits)));
      return {
        rows: all.flatMap((rows) => rows ?? []),
        unread: positions.filter((_, at) => all[at] === null),
      };
    },
    labels: async ({ chain: of, addresses, ...limits }) => {
      // Of the far side of a bridge.
      if (of !== chain.name) return reader.labels({ chain: of, addresses, ...limits });
      const all = await Promise.all(addresses.map((address) => labelOf(address, limits)));
      return new Map(addresses.flatMap((address, at) => (all[at] ? [[address, all[at]]] : [])));
    },
  };
  return {
    reader: new Proxy(reader, { get: (all, name: keyof TransferReader) => together[name] ?? all[name] }),
    counts: () => ({ questions, wallets: wallets.size, rows: rowsRead }),
    unread: tooFull,
  };
};

const within =
  (reader: TransferReader, limits: ReadLimits): TablesRead =>
  (ask) =>
    ask(reader, limits);
