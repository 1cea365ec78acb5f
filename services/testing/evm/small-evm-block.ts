import { decodeEvmBlock } from '../../ingest/evm/decode-evm-block.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';

export const hex = (value: number | bigint): string => `0x${value.toString(16)}`;
export const address = (digit: string): string => `0x${digit.repeat(40)}`;
export const word = (value: string): string => `0x${value.replace(/^0x/, '').padStart(64, '0')}`;
export const hash = (position: number): string => word(hex(position + 1));

export const ALICE = address('a');
export const BOB = address('b');
export const CAROL = address('c');
export const MINER = address('d');
export const TOKEN = address('e');
export const BLOCK_HASH = word('0xb10c');
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
export const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2';
export const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
export const USDC_ON_BASE = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913';

export type Part = {
  tx?: Record<string, unknown>;
  receipt?: Record<string, unknown>;
  trace?: Record<string, unknown> | null;
};

const OP_STACK = ['base', 'optimism'];

/** A block of plain transfers (5 wei from Alice to Bob at a price of 10, base fee 7), changed where a test says so. */
export const decode = (
  parts: Part[],
  { chain = 'ethereum', ...block }: Record<string, unknown> & { chain?: string } = {},
  traced = false,
): DecodedBlock => {
  const transactions = parts.map(({ tx }, position) => ({
    hash: hash(position),
    from: ALICE,
    to: BOB,
    value: '0x5',
    gas: '0x5208',
    gasPrice: '0xa',
    input: '0x',
    type: '0x2',
    ...tx,
  }));
  return decodeEvmBlock({
    chain,
    block: {
      number: hex(20_000_000),
      hash: BLOCK_HASH,
      parentHash: word('0x1'),
      timestamp: '0x66000000',
      miner: MINER,
      baseFeePerGas: '0x7',
      difficulty: '0x0',
      uncles: [],
      withdrawals: [],
      transactions,
      ...block,
    },
    receipts: parts.map(({ receipt }, position) => ({
      transactionHash: hash(position),
      blockHash: BLOCK_HASH,
      status: '0x1',
      gasUsed: '0x5208',
      effectiveGasPrice: '0xa',
      contractAddress: null,
      logs: [],
      ...(OP_STACK.includes(chain) ? { l1Fee: '0x0' } : {}),
      ...receipt,
    })),
    traces: traced
      ? parts.map(({ tx, trace }, position) => ({
          txHash: hash(position),
          result: {
            ...{ type: 'CALL', from: ALICE, to: BOB, value: tx?.value ?? '0x5', input: tx?.input ?? '0x' },
            ...trace,
          },
        }))
      : null,
  });
};

export const rowsOf = ({ movements }: DecodedBlock): string[] =>
  movements.map(({ kind, from, to, asset, amountRaw, authority }) => {
    const name = (party: string | null): string =>
      party?.replace(/^0x(.)\1{38}.*$/, '$1').replace(/^0x(.*)$/, '$1') ?? 'nobody';
    return `${kind} ${name(from)}>${name(to)} ${amountRaw} ${name(asset)}${authority === null ? '' : ` by ${name(authority)}`}`;
  });

export const log = (topics: string[], data: string, at = TOKEN): Record<string, unknown> => ({
  address: at,
  topics,
  data,
});
export const transfer = (from: string, to: string, amount: number, at = TOKEN): Record<string, unknown> =>
  log([TRANSFER, word(from), word(to)], word(hex(amount)), at);

export const FEES = ['fee a>d 63000 native', 'fee a>nobody 147000 native'];
