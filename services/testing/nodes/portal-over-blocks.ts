import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Items of a block by table of the portal, each with the transaction that it belongs to. */
export type PortalTables = Readonly<
  Record<
    string,
    readonly { readonly transaction: object; readonly fields: Readonly<Record<string, string>> }[]
  >
>;

export type PortalQuery = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly fromBlock: number;
  readonly toBlock: number;
};

type Faults = {
  /** Takes over a request; false: it is answered. */
  readonly intercept?: (query: PortalQuery, response: ServerResponse) => boolean;
  /** The last block that one stream looks at. */
  readonly endsAt?: (query: PortalQuery) => number;
  /** Alters the text of a stream. */
  readonly alter?: (text: string, query: PortalQuery) => string;
  /** Tables that the dataset does not hold. */
  readonly lacks?: readonly string[];
};

/**
 * A portal by SQD's documents (beta.docs.sqd.dev, `finalized-stream`) over blocks by number: items of a table are
 * joined by or, fields of an item by and; blocks that match, and the first and the last that were looked at. Ends
 * with the test.
 */
export const startPortal = async (
  blocks: ReadonlyMap<number, PortalTables>,
  { intercept, endsAt = ({ toBlock }) => toBlock, alter = (text) => text, lacks = [] }: Faults = {},
): Promise<{ url: string; queries: PortalQuery[] }> => {
  const queries: PortalQuery[] = [];
  const head = Math.max(...blocks.keys());
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/finalized-head')) {
      response.end(JSON.stringify({ number: head, hash: '0x' }));
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const query = JSON.parse(Buffer.concat(chunks).toString()) as PortalQuery;
    queries.push(query);
    if (intercept?.(query, response)) return;
    if (lacks.some((table) => Array.isArray(query[table]))) {
      const error = { type: 'invalid_request_error', code: 'malformed_request', message: 'no such table' };
      response.writeHead(400).end(JSON.stringify({ error }));
      return;
    }
    if (query.fromBlock > head) {
      response.writeHead(204).end();
      return;
    }
    const last = Math.min(query.toBlock, head, endsAt(query));
    const lines: object[] = [];
    for (let number = query.fromBlock; number <= last; number++) {
      const transactions = matched(blocks.get(number) ?? {}, query);
      const isEdge = number === query.fromBlock || number === last;
      if (transactions.length > 0) lines.push({ header: { number }, transactions });
      else if (isEdge) lines.push({ header: { number } });
    }
    response.end(alter(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), query));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/datasets/world`, queries };
};

const matched = (tables: PortalTables, query: PortalQuery): object[] => {
  const found = new Set<object>();
  for (const [table, rows] of Object.entries(tables)) {
    const items = (query[table] ?? []) as Readonly<Record<string, unknown>>[];
    for (const { transaction, fields } of rows)
      if (items.some((item) => meets(item, fields))) found.add(transaction);
  }
  return [...found];
};

const meets = (item: Readonly<Record<string, unknown>>, fields: Readonly<Record<string, string>>): boolean =>
  Object.entries(item).every(
    ([name, values]) => !Array.isArray(values) || values.includes(fields[name] ?? ''),
  );

type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;
type Frame = { type: string; from: string; to?: string; calls?: Frame[] };
type Log = { address: string; topics: string[] };

/** What the portal holds of an EVM node's blocks. */
export const readEvmTables = async (ask: Ask): Promise<Map<number, PortalTables>> => {
  const blocks = new Map<number, PortalTables>();
  const last = Number(await ask('eth_blockNumber'));
  for (let number = 0; number <= last; number++) {
    const block = (await ask('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as {
      transactions: { hash: string; from: string; to: string | null }[];
    };
    const tables: Record<string, PortalTables[string][number][]> = { transactions: [], logs: [], traces: [] };
    for (const { hash, from, to } of block.transactions) {
      const transaction = { hash };
      tables.transactions?.push({ transaction, fields: { from, to: to ?? '' } });
      const { logs } = (await ask('eth_getTransactionReceipt', hash)) as { logs: Log[] };
      for (const { address, topics } of logs) {
        const named = topics.map((topic, at) => [`topic${at}`, topic]);
        tables.logs?.push({ transaction, fields: { address, ...Object.fromEntries(named) } });
      }
      const trace = (await ask('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame;
      for (const frame of framesOf(trace)) {
        const isCreated = frame.type.startsWith('CREATE');
        const fields = isCreated
          ? { createFrom: frame.from }
          : { callFrom: frame.from, callTo: frame.to ?? '' };
        tables.traces?.push({ transaction, fields });
      }
    }
    blocks.set(number, tables);
  }
  return blocks;
};

const framesOf = (frame: Frame): Frame[] => [frame, ...(frame.calls ?? []).flatMap(framesOf)];

type SolanaBlock = {
  transactions: {
    transaction: { signatures: string[]; message: { accountKeys: string[] } };
    meta: {
      preBalances: number[];
      postBalances: number[];
      preTokenBalances: TokenBalance[];
      postTokenBalances: TokenBalance[];
      loadedAddresses?: { writable: string[]; readonly: string[] } | null;
    };
  }[];
};
type TokenBalance = { accountIndex: number; mint: string; owner: string };

/** What the portal holds of a Solana node's blocks, by slot. */
export const readSolanaTables = async (
  ask: Ask,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Map<number, PortalTables>> => {
  const blocks = new Map<number, PortalTables>([[last, {}]]);
  const options = { encoding: 'json', maxSupportedTransactionVersion: 0, rewards: false };
  for (const slot of (await ask('getBlocks', first, last)) as number[]) {
    const block = (await ask('getBlock', slot, options)) as SolanaBlock;
    const tables: Record<string, PortalTables[string][number][]> = {
      ...{ transactions: [], balances: [], tokenBalances: [] },
    };
    for (const { transaction: signed, meta } of block.transactions) {
      const transaction = { signatures: signed.signatures };
      const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
      const keys = [...signed.message.accountKeys, ...writable, ...readonly];
      tables.transactions?.push({ transaction, fields: { feePayer: keys[0] ?? '' } });
      for (const [at, account] of keys.entries())
        if (meta.preBalances[at] !== meta.postBalances[at])
          tables.balances?.push({ transaction, fields: { account } });
      for (const { owner, mint } of meta.preTokenBalances)
        tables.tokenBalances?.push({ transaction, fields: { preOwner: owner, preMint: mint } });
      for (const { owner, mint } of meta.postTokenBalances)
        tables.tokenBalances?.push({ transaction, fields: { postOwner: owner, postMint: mint } });
    }
    blocks.set(slot, tables);
  }
  return blocks;
};
