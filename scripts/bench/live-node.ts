import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { base58 } from '@scure/base';
import { bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';

export type LiveNode = {
  readonly url: string;
  readonly firstSlot: number;
  /** When a slot's block became available, by `performance.now()`. */
  availableMs(slot: number): number;
  close(): Promise<void>;
};

type LiveOptions = { readonly blocks: number; readonly transfersPerBlock: number; readonly blockMs: number };

const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TRANSFER = 2;
const FEE = 5_000n;
const BALANCE = 1_000_000_000_000n;
const FIRST_SLOT = 300_000_000;
const TIME_UNIX_SECONDS = 1_750_000_000;
// Movements repeat after this many blocks; only numbers, hashes and times differ.
const BODIES = 10;

/**
 * A Solana node whose chain grows by a block every `blockMs` from the first request on. Every block has as many
 * plain transfers.
 */
export const startLiveNode = async ({
  blocks,
  transfersPerBlock,
  blockMs,
}: LiveOptions): Promise<LiveNode> => {
  const bodies = makeBodies(transfersPerBlock);
  let startMs: number | null = null;
  const availableMs = (slot: number): number => (startMs ?? 0) + (slot - FIRST_SLOT) * blockMs;
  const head = (): number => {
    startMs ??= performance.now();
    const grown = Math.floor((performance.now() - startMs) / blockMs);
    return FIRST_SLOT + Math.min(grown, blocks - 1);
  };
  const answer = (method: string, slot: number): string => {
    if (method === 'getSlot') return `"result":${head()}`;
    if (method !== 'getBlock') return '"error":{"code":-32601,"message":"Method not found"}';
    if (slot > head()) return '"error":{"code":-32004,"message":"Block not available for slot"}';
    return `"result":${blockText(slot, bodies[slot % BODIES] ?? '[]')}`;
  };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: unknown[] };
    response.setHeader('content-type', 'application/json');
    response.end(`{"jsonrpc":"2.0",${answer(method, Number(params[0]))},"id":${id}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    firstSlot: FIRST_SLOT,
    availableMs,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

const blockText = (slot: number, transactions: string): string => {
  const head = { blockhash: `h${slot}`, previousBlockhash: `h${slot - 1}`, parentSlot: slot - 1 };
  const time = { blockTime: TIME_UNIX_SECONDS + Math.floor((slot - FIRST_SLOT) * 0.4), blockHeight: slot };
  return `${JSON.stringify({ ...head, ...time, rewards: [] }).slice(0, -1)},"transactions":${transactions}}`;
};

const makeBodies = (transfersPerBlock: number): string[] => {
  const transfers = BODIES * transfersPerBlock;
  return [...bulkBlocks({ seed: 1, transfers, transfersPerBlock, chain: 'solana' })].map((block) =>
    JSON.stringify(
      block.movements
        .filter(({ kind, from, to }) => kind === 'transfer' && from !== null && to !== null)
        .map(({ from, to, amountRaw }, position) =>
          plainTransfer(`${block.number}${position}`, String(from), String(to), amountRaw % (BALANCE / 2n)),
        ),
    ),
  );
};

const plainTransfer = (id: string, from: string, to: string, lamports: bigint): object => {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER);
  data.writeBigUInt64LE(lamports, 4);
  const message = {
    header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
    accountKeys: [from, to, SYSTEM_PROGRAM],
    recentBlockhash: SYSTEM_PROGRAM,
    instructions: [{ programIdIndex: 2, accounts: [0, 1], data: base58.encode(data), stackHeight: null }],
  };
  const balances = (...values: bigint[]) => values.map(Number);
  const meta = {
    err: null,
    fee: Number(FEE),
    innerInstructions: [],
    preBalances: balances(BALANCE, BALANCE, 1n),
    postBalances: balances(BALANCE - FEE - lamports, BALANCE + lamports, 1n),
    preTokenBalances: [],
    postTokenBalances: [],
    logMessages: [],
  };
  const signature = id.padEnd(88, '2').replaceAll('0', 'z');
  return { transaction: { signatures: [signature], message }, meta, version: 'legacy' };
};
