import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Asks the node behind. */
type Ask = (method: string, ...params: unknown[]) => Promise<unknown>;

type Row = { readonly blockNumber: string; readonly hash: string; readonly parties: readonly string[] };
export type ExplorerTables = Readonly<Record<string, readonly Row[]>>;
type Frame = { from: string; to?: string; value?: string; calls?: Frame[] };

/** What the explorer answers in place of rows; null: the rows. */
type Fault = (action: string, asked: URLSearchParams) => object | string | null;

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/**
 * An explorer by Etherscan's documents (docs.etherscan.io, API v2, module `account`) over a real node (`readTables`). Gives `rowsMax` rows at most and does not say so. Ends with the test.
 */
export const startExplorer = async (
  tables: ExplorerTables,
  { fault = () => null, rowsMax = 1_000 }: { readonly fault?: Fault; readonly rowsMax?: number } = {},
): Promise<{ url: string; requests: URLSearchParams[] }> => {
  const requests: URLSearchParams[] = [];
  const server = createServer((request, response) => {
    const { searchParams: asked } = new URL(request.url ?? '', 'http://explorer');
    requests.push(asked);
    const action = asked.get('action') ?? '';
    const broken = fault(action, asked);
    const answer = broken ?? toAnswer(select(tables[action] ?? [], asked, rowsMax));
    response.setHeader('content-type', 'application/json');
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/api`, requests };
};

const toAnswer = (rows: readonly object[]) =>
  rows.length === 0
    ? { status: '0', message: 'No transactions found', result: [] }
    : { status: '1', message: 'OK', result: rows };

const select = (table: readonly Row[], asked: URLSearchParams, rowsMax: number): object[] => {
  const numberOf = (name: string) => Number(asked.get(name));
  const own = table.filter(
    ({ parties, blockNumber }) =>
      parties.includes(asked.get('address') ?? '') &&
      numberOf('startblock') <= Number(blockNumber) &&
      Number(blockNumber) <= numberOf('endblock'),
  );
  if (asked.get('sort') === 'desc') own.reverse();
  const offset = Math.min(numberOf('offset'), rowsMax);
  const start = (numberOf('page') - 1) * offset;
  return own.slice(start, start + offset).map(({ blockNumber, hash }) => ({ blockNumber, hash }));
};

/** What an explorer tells of a node's blocks, by action. */
export const readTables = async (ask: Ask): Promise<ExplorerTables> => {
  const tables: Record<string, Row[]> = { txlist: [], txlistinternal: [], tokentx: [] };
  const last = Number(await ask('eth_blockNumber'));
  for (let number = 0; number <= last; number++) {
    const block = (await ask('eth_getBlockByNumber', `0x${number.toString(16)}`, true)) as {
      transactions: { hash: string; from: string; to: string | null }[];
    };
    for (const { hash, from, to } of block.transactions) {
      const rowOf = (parties: readonly string[]): Row => ({
        ...{ blockNumber: String(number), hash },
        parties: parties.map((party) => party.toLowerCase()),
      });
      tables.txlist?.push(rowOf([from, to ?? '']));
      tables.txlistinternal?.push(...(await callsOf(ask, hash)).map(rowOf));
      tables.tokentx?.push(...(await transfersOf(ask, hash)).map(rowOf));
    }
  }
  return tables;
};

const callsOf = async (ask: Ask, hash: string): Promise<string[][]> => {
  const trace = (await ask('debug_traceTransaction', hash, { tracer: 'callTracer' })) as Frame;
  const inner = ({ calls = [] }: Frame): Frame[] => calls.flatMap((call) => [call, ...inner(call)]);
  return inner(trace)
    .filter(({ value }) => BigInt(value ?? 0) > 0n)
    .map(({ from, to = '' }) => [from, to]);
};

const transfersOf = async (ask: Ask, hash: string): Promise<string[][]> => {
  const { logs } = (await ask('eth_getTransactionReceipt', hash)) as { logs: { topics: string[] }[] };
  return logs
    .filter(({ topics }) => topics[0] === TRANSFER)
    .map(({ topics }) => topics.slice(1, 3).map((topic) => `0x${topic.slice(-40)}`));
};
