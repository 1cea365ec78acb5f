import {
  compareRows,
  type FlowPage,
  type FlowsRequest,
  type TransferReader,
  transactionKey,
  type WholeTransactions,
} from '../../model/transfer-reader.ts';

/**
 * A reader for one trail of one asset. It keeps the page of the likely next wallet, which came along with the page of the wallet
 * before, until the next such page. It also keeps whole transactions, because a hop is decided, named and priced by the same rows.
 */
export const readAhead = (reader: TransferReader): TransferReader => {
  let last: Last | null = null;
  return {
    ...reader,
    departures: async (request) => {
      const held = last && pageAhead(last, request);
      if (held !== null) return held;
      const page = await reader.departures(request);
      last = { request, page };
      return page;
    },
    wholeTransactions: readOnce(reader.wholeTransactions),
  };
};

type Last = { readonly request: FlowsRequest; readonly page: FlowPage };

/** null if it did not come along, or is longer than one page. */
const pageAhead = ({ request, page }: Last, asked: FlowsRequest): FlowPage | null => {
  const rows = page.ahead?.get(asked.wallet)?.filter((row) => compareRows(row, asked.from) >= 0);
  const isSame = request.chain === asked.chain && request.canonicalAsset === asked.canonicalAsset;
  const isWithin = request.ownOnly === asked.ownOnly && compareRows(request.from, asked.from) <= 0;
  if (!asked.transfersOnly || !isSame || !isWithin) return null;
  return rows === undefined || rows.length > asked.limit ? null : { rows, next: null };
};

/** Reads again what failed or was left out, except a transaction that fills a read by itself. */
const readOnce = (ask: TransferReader['wholeTransactions']): TransferReader['wholeTransactions'] => {
  const asked = new Map<string, Promise<WholeTransactions>>();
  const tooFull = new Set<string>();
  const isKnown = (key: string): boolean => asked.has(key) || tooFull.has(key);
  const askNow = async (request: Parameters<typeof ask>[0]): Promise<WholeTransactions> => {
    const { positions } = request;
    const come = await ask(request).catch((error: unknown) => {
      for (const position of positions) asked.delete(transactionKey(position));
      throw error;
    });
    for (const position of come.unread) asked.delete(transactionKey(position));
    const [first] = positions;
    // Rows come in the order of positions.
    if (first !== undefined && come.unread.length === positions.length) tooFull.add(transactionKey(first));
    return come;
  };
  return async ({ positions, ...request }) => {
    const keys = new Set(positions.map(transactionKey));
    const fresh = positions.filter((position) => !isKnown(transactionKey(position)));
    const asking = fresh.length === 0 ? null : askNow({ ...request, positions: fresh });
    for (const position of fresh) if (asking !== null) asked.set(transactionKey(position), asking);
    const answers = await Promise.all(new Set([...keys].flatMap((key) => asked.get(key) ?? [])));
    return {
      rows: answers.flatMap(({ rows }) => rows.filter((row) => keys.has(transactionKey(row)))),
      unread: positions.filter((position) => !asked.has(transactionKey(position))),
    };
  };
};
