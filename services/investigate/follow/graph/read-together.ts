import type { Address } from '../../model/address.ts';
import {
  compareRows,
  compareRowsBackward,
  type Flow,
  type FlowPage,
  type FlowsRequest,
  ReadFailedError,
  type ReadLimits,
  type RowPosition,
  type TransferReader,
} from '../../model/transfer-reader.ts';
import type { FlowSide } from '../direction.ts';
import { END_OF_TIME } from '../find-asset.ts';
import { BudgetSpentError } from '../follow-reader.ts';
import { FLOW_ROWS_MAX } from '../rules.ts';

/** What was asked of the tables so far. */
export type ReadCounts = { readonly questions: number; readonly wallets: number; readonly rows: number };

/** Rows of one side of a wallet, in that side's order, without a gap; `next` is null where there are no more. */
type Section = { readonly from: RowPosition; rows: Flow[]; next: RowPosition | null };
type Asked = Omit<FlowsRequest, 'wallet' | 'from' | keyof ReadLimits>;
type Waiting = {
  readonly side: FlowSide;
  readonly asked: Asked;
  readonly limits: ReadLimits;
  readonly wallet: Address;
  readonly from: RowPosition;
  readonly resolve: (page: FlowPage) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * A reader for one flow. It keeps what it read, so that no row of a wallet is asked for twice, and asks as one question for what
 * several wallets wait for at the same time. Beyond `rowsMax` rows it throws `BudgetSpentError`.
 */
export const readTogether = (
  reader: TransferReader,
  /** Nothing of the flow is before it. */
  first: RowPosition,
  rowsMax = FLOW_ROWS_MAX,
): { readonly reader: TransferReader; readonly counts: () => ReadCounts } => {
  const sections = new Map<string, Section[]>();
  const wallets = new Set<Address>();
  let questions = 0;
  let rowsRead = 0;
  let waiting: Waiting[] = [];

  const flush = (): void => {
    const groups = Map.groupBy(waiting, ({ side, asked }) => `${side} ${JSON.stringify(asked, rawAsText)}`);
    waiting = [];
    for (const group of groups.values()) void askGroup(group);
  };

  const askGroup = async (group: readonly Waiting[]): Promise<void> => {
    const [one] = group;
    if (one === undefined) return;
    const { side, asked, limits } = one;
    questions += 1;
    try {
      const places = group.map(({ wallet, from }) => ({ wallet, from }));
      const pages = await reader.flowsTogether({ ...asked, ...limits, side, places });
      for (const [at, { resolve }] of group.entries()) {
        const page = pages[at] ?? { rows: [], next: null };
        rowsRead += page.rows.length;
        resolve(page);
      }
    } catch (error) {
      for (const { limits: own, reject } of group) reject(toOwnFailure(error, own.signal));
    }
  };

  const load = (side: FlowSide, request: FlowsRequest, from: RowPosition): Promise<FlowPage> => {
    if (rowsRead >= rowsMax) return Promise.reject(new BudgetSpentError());
    const { wallet, from: _, signal, timeoutMs, ...asked } = request;
    wallets.add(wallet);
    // Once nothing else can go on, all that will be asked for beside it is known.
    if (waiting.length === 0) setImmediate(flush);
    return new Promise((resolve, reject) => {
      waiting.push({ side, asked, limits: { signal, timeoutMs }, wallet, from, resolve, reject });
    });
  };

  const begin = async (side: FlowSide, request: FlowsRequest, from: RowPosition): Promise<Section> => {
    const { rows, next } = await load(side, request, from);
    return { from, rows: [...rows], next };
  };

  const read = async (side: FlowSide, { aheadRaw: _, ...request }: FlowsRequest): Promise<FlowPage> => {
    const compare = side === 'departures' ? compareRows : compareRowsBackward;
    const edge = side === 'departures' ? first : END_OF_TIME;
    const key = `${side} ${request.wallet} ${request.ownOnly} ${request.transfersOnly ?? false}`;
    const known = sections.get(key) ?? [];
    sections.set(key, known);
    if (known.length === 0)
      known.push(await begin(side, request, compare(edge, request.from) < 0 ? edge : request.from));
    const reaches = ({ next }: Section): boolean => next === null || compare(next, request.from) >= 0;
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

  const counting = new Proxy(reader, {
    get: (all, name: keyof TransferReader) => (request: never) => {
      questions += 1;
      return Reflect.apply(all[name], all, [request]);
    },
  });
  const together: Partial<TransferReader> = {
    departures: (request) => read('departures', request),
    arrivals: (request) => read('arrivals', request),
  };
  return {
    reader: new Proxy(counting, {
      get: (all, name: keyof TransferReader) => together[name] ?? all[name],
    }),
    counts: () => ({ questions, wallets: wallets.size, rows: rowsRead }),
  };
};

const rawAsText = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** The signal of one ends the question for all who wait for it. */
const toOwnFailure = (error: unknown, signal: AbortSignal): unknown =>
  error instanceof ReadFailedError && error.code === 'aborted' && !signal.aborted
    ? new ReadFailedError('timeout', { cause: error })
    : error;
