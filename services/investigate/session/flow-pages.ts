import type { Address } from '../model/address.ts';
import {
  compareRows,
  compareRowsBackward,
  type Flow,
  type FlowPage,
  type FlowPlace,
  type FlowsOf,
  type RowPosition,
} from '../model/transfer-reader.ts';
import type { Reads } from './kind.ts';
import type { transferKinds } from './kinds/transfer-kinds.ts';

export type FlowsAsked = Omit<FlowsOf, 'side'> & FlowPlace;
type FlowSide = FlowsOf['side'];

/** A page of what left a wallet, or arrived in it. */
export type ReadPage = (side: FlowSide, asked: FlowsAsked) => Promise<FlowPage>;

type FlowReads = Pick<Reads<ReturnType<typeof transferKinds>>, 'flows'>;

const pageReader =
  ({ flows }: FlowReads): ReadPage =>
  async (side, { wallet, from, ...common }) => {
    const [page] = await flows({ ...common, side }, [{ wallet, from }]);
    return page as FlowPage;
  };

/**
 * For one trail of one asset. It keeps the page of the likely next wallet, which came along with the page of the wallet before, until
 * the next such page.
 */
export const keepAhead = (reads: FlowReads): ReadPage => {
  const readPage = pageReader(reads);
  let last: { readonly asked: FlowsAsked; readonly page: FlowPage } | null = null;
  return async (side, asked) => {
    if (side === 'arrivals') return readPage(side, asked);
    const held = last && pageAhead(last, asked);
    if (held !== null) return held;
    const page = await readPage(side, asked);
    last = { asked, page };
    return page;
  };
};

/** null if it did not come along, or is longer than one page. */
const pageAhead = (last: { readonly asked: FlowsAsked; readonly page: FlowPage }, asked: FlowsAsked) => {
  const { asked: before, page } = last;
  const rows = page.ahead?.get(asked.wallet)?.filter((row) => compareRows(row, asked.from) >= 0);
  const isSame = before.chain === asked.chain && before.canonicalAsset === asked.canonicalAsset;
  const isWithin = before.ownOnly === asked.ownOnly && compareRows(before.from, asked.from) <= 0;
  if (!asked.transfersOnly || !isSame || !isWithin) return null;
  return rows === undefined || rows.length > asked.limit ? null : { rows, next: null };
};

/** Rows of one side of a wallet, in that side's order, without a gap; `next` is null where there are no more. */
type Section = { readonly from: RowPosition; rows: Flow[]; next: RowPosition | null };

export type KeptPages = {
  readonly readPage: ReadPage;
  /** Wallets of which a page was read. */
  readonly wallets: ReadonlySet<Address>;
};

/** Where the rows begin that may be asked for, in the order of each side. */
type Begin = Readonly<Record<FlowSide, RowPosition>>;

/** For one flow. It keeps what it read, so that no row of a wallet is read twice. */
export const keepPages = (reads: FlowReads, begin: Begin): KeptPages => {
  const readPage = pageReader(reads);
  const sections = new Map<string, Section[]>();
  const wallets = new Set<Address>();
  const turns = new Map<string, Promise<unknown>>();

  const load = (side: FlowSide, asked: FlowsAsked, from: RowPosition): Promise<FlowPage> => {
    wallets.add(asked.wallet);
    return readPage(side, { ...asked, from });
  };
  const open = async (side: FlowSide, asked: FlowsAsked, from: RowPosition): Promise<Section> => {
    const { rows, next } = await load(side, asked, from);
    return { from, rows: [...rows], next };
  };

  const readFrom = async (known: Section[], side: FlowSide, asked: FlowsAsked): Promise<FlowPage> => {
    const compare = side === 'departures' ? compareRows : compareRowsBackward;
    const isLater = (row: RowPosition): boolean => compare(row, asked.from) >= 0;
    if (known.length === 0) known.push(await open(side, asked, begin[side]));
    const reaches = ({ from, next }: Section): boolean =>
      compare(from, asked.from) <= 0 && (next === null || isLater(next));
    let section = known.find(reaches);
    if (section === undefined) {
      section = await open(side, asked, asked.from);
      known.push(section);
    }
    let rows = section.rows.filter(isLater);
    if (rows.length === 0 && section.next !== null) {
      const page = await load(side, asked, section.next);
      section.rows = [...section.rows, ...page.rows];
      section.next = page.next;
      rows = page.rows.filter(isLater);
    }
    const page = rows.slice(0, asked.limit);
    const last = page.at(-1);
    if (rows.length <= asked.limit || last === undefined) return { rows: page, next: section.next };
    const { blockTime, blockNumber, txIndex, step } = last;
    return { rows: page, next: { blockTime, blockNumber, txIndex, step: step + 1 } };
  };

  /** Who asks for a side of a wallet that is being read waits, and is given what was read. */
  const inTurn = (side: FlowSide, asked: FlowsAsked): Promise<FlowPage> => {
    const { chain, canonicalAsset, wallet, ownOnly, transfersOnly = false } = asked;
    const key = [side, chain, canonicalAsset, wallet, ownOnly, transfersOnly].join(' ');
    const known = sections.get(key) ?? [];
    sections.set(key, known);
    const page = (turns.get(key) ?? Promise.resolve()).then(() => readFrom(known, side, asked));
    turns.set(
      key,
      page.catch(() => undefined),
    );
    return page;
  };

  return {
    wallets,
    readPage: async (side, { aheadRaw: _, ...asked }) => {
      if (side === 'arrivals' || !asked.transfersOnly) return inTurn(side, asked);
      // All outflows of a wallet are known or being asked for, including swaps.
      const page = await inTurn(side, { ...asked, transfersOnly: false });
      return { ...page, rows: page.rows.filter(({ type }) => type === 'transfer') };
    },
  };
};
