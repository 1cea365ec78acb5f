import { expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { type Movement, NATIVE } from '../../investigate/model/movement.ts';
import {
  decodeRealBlock,
  listRealBlocks,
  type RealBlock,
  readCsv,
  readExpected,
  readRealParts,
} from '../../testing/evm/real-evm-blocks.ts';
import { describeWithSharedData } from '../../testing/shared-data.ts';
import { rulesOf } from './chain-rules.ts';

const NULL_ADDRESS = `0x${'0'.repeat(40)}`;
const isTokenLog = ({ asset, kind }: Movement): boolean =>
  asset !== NATIVE && kind !== 'wrap' && kind !== 'unwrap';

// What follows is worked out from the raw answers on purpose in another way than the decoder's: one stack instead of
// recursion, balances instead of rows, and no shared helper.
type Balances = Map<string, bigint>;
type Frame = { type: string; from: string; to: string; value?: string; error?: string; calls?: Frame[] };
type Tx = {
  hash: string;
  from: string;
  to: string | null;
  value: string;
  type: string;
  mint?: string;
  gasPrice: string;
};
type Receipt = {
  status?: string;
  gasUsed: string;
  effectiveGasPrice?: string;
  l1Fee?: string;
  contractAddress: string | null;
  logs: { address: string; topics: string[]; data: string }[];
};
type Raw = {
  block: { transactions: Tx[]; miner: string; baseFeePerGas?: string; gasUsed: string };
  receipts: Receipt[];
  traces: { result: Frame }[] | null;
};

const change = (balances: Balances, party: string, amount: bigint): void => {
  balances.set(party, (balances.get(party) ?? 0n) + amount);
};

const nativeChanges = (raw: Raw, chain: string, position: number): Balances => {
  const balances: Balances = new Map();
  const tx = raw.block.transactions[position] as Tx;
  const receipt = raw.receipts[position] as Receipt;
  const isDeposit = tx.type === '0x7e';
  if (isDeposit) change(balances, tx.from, BigInt(tx.mint ?? '0x0'));
  const stack: Frame[] = [raw.traces?.[position]?.result as Frame];
  for (let frame = stack.pop(); frame !== undefined; frame = stack.pop()) {
    if (frame.error) continue;
    if (['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'].includes(frame.type)) {
      change(balances, frame.from, -BigInt(frame.value ?? '0x0'));
      change(balances, frame.to, BigInt(frame.value ?? '0x0'));
    }
    stack.push(...(frame.calls ?? []));
  }
  if (isDeposit) return balances;
  const gas = BigInt(receipt.gasUsed);
  const price = BigInt(receipt.effectiveGasPrice ?? tx.gasPrice);
  const base = BigInt(raw.block.baseFeePerGas ?? '0x0');
  const l1 = BigInt(receipt.l1Fee ?? '0x0');
  change(balances, tx.from, -(gas * price + l1));
  change(
    balances,
    chain === 'base' ? '0x4200000000000000000000000000000000000011' : raw.block.miner,
    gas * (price - base),
  );
  if (chain === 'base') {
    change(balances, '0x4200000000000000000000000000000000000019', gas * base);
    change(balances, '0x420000000000000000000000000000000000001a', l1);
  }
  return balances;
};

const tokenChanges = (receipt: Receipt, wrappedNative: string | null): Balances => {
  const balances: Balances = new Map();
  for (const { address, topics, data } of receipt.logs) {
    const party = (position: number): string => `${address} 0x${topics[position]?.slice(-40)}`;
    const move = (from: string | null, to: string | null): void => {
      if (from !== null && !from.endsWith(NULL_ADDRESS)) change(balances, from, -BigInt(data));
      if (to !== null && !to.endsWith(NULL_ADDRESS)) change(balances, to, BigInt(data));
    };
    const topic = topics[0]?.slice(0, 10);
    if (topic === '0xddf252ad' && topics.length === 3 && data.length === 66) move(party(1), party(2));
    if (address === wrappedNative && topic === '0xe1fffcc4') move(null, party(1));
    if (address === wrappedNative && topic === '0x7fcf532c') move(party(1), null);
  }
  return balances;
};

const changesOf = (
  movements: readonly Movement[],
  name: (party: string, asset: string) => string,
): Balances => {
  const balances: Balances = new Map();
  for (const { from, to, asset, amountRaw } of movements) {
    if (from !== null) change(balances, name(from, asset), -amountRaw);
    if (to !== null) change(balances, name(to, asset), amountRaw);
  }
  return balances;
};

const nonZero = (balances: Balances): Record<string, bigint> =>
  Object.fromEntries(
    [...balances].filter(([, amount]) => amount !== 0n).sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const byTransaction = (decoded: DecodedBlock, position: number): Movement[] =>
  decoded.movements.filter(({ txIndex }) => txIndex === position);

const valueSent = (raw: Raw, decoded: DecodedBlock): number =>
  raw.block.transactions.filter(
    ({ value }, position) =>
      BigInt(value) > 0n && byTransaction(decoded, position).some(({ kind }) => kind === 'transfer'),
  ).length;

const EACH = '$chain $number';

describeWithSharedData('real EVM blocks', () => {
  const blocks = listRealBlocks();
  const compared = blocks.filter((block) => readExpected(block, 'token_transfers.csv') !== null);
  const traced = blocks.filter(({ counts }) => counts.parts?.includes('traces'));

  test('there are blocks with traces, and blocks that another parser read', () => {
    expect(traced.length).toBeGreaterThan(10);
    expect(compared.length).toBeGreaterThan(10);
  });

  test.each(compared)(`${EACH}: token transfers are those another parser found`, (block) => {
    const csv = readExpected(block, 'token_transfers.csv') ?? '';
    const decoded = decodeRealBlock(block);
    const hashes = new Map(decoded.transactions.map(({ txIndex, hash }) => [txIndex, hash]));
    const found = decoded.movements
      .filter(isTokenLog)
      .map(({ txIndex, asset, from, to, amountRaw }) =>
        [hashes.get(txIndex ?? -1), asset, from ?? NULL_ADDRESS, to ?? NULL_ADDRESS, amountRaw].join(),
      );
    const expected = readCsv(csv)
      .filter(({ standard }) => standard === 'erc20')
      .map(({ tx_hash, token, from, to, value_raw }) => [tx_hash, token, from, to, value_raw].join());
    expect(found).toEqual(expected);
  });

  test.each(blocks)(
    `${EACH}: rows are as many as the logs, value frames and failures the index counts`,
    (block) => {
      const raw = readRealParts(block) as Raw;
      const decoded = decodeRealBlock(block);
      const { counts } = block;
      expect(decoded.movements.filter(isTokenLog)).toHaveLength(Number(counts.erc20_transfer_logs));
      if (counts.internal_value_calls !== '') {
        const moved = decoded.movements.filter(
          ({ asset, kind, txIndex }) =>
            txIndex !== null && asset === NATIVE && (kind === 'transfer' || kind === 'burn'),
        );
        expect(moved.length - valueSent(raw, decoded)).toBe(Number(counts.internal_value_calls));
      }
      if (counts.failed_transactions === '') return;
      const failed = raw.receipts.flatMap(({ status }, position) => (status === '0x0' ? [position] : []));
      expect(failed).toHaveLength(Number(counts.failed_transactions));
      for (const position of failed) {
        expect(new Set(byTransaction(decoded, position).map(({ kind }) => kind))).toEqual(new Set(['fee']));
      }
    },
  );

  test.each(traced)(
    `${EACH}: each party's rows sum to its change of balance, transaction by transaction`,
    (block) => {
      const raw = readRealParts(block) as Raw;
      const decoded = decodeRealBlock(block);
      raw.block.transactions.forEach((_, position) => {
        const native = byTransaction(decoded, position).filter(({ asset }) => asset === NATIVE);
        expect(nonZero(changesOf(native, (party) => party))).toEqual(
          nonZero(nativeChanges(raw, block.chain, position)),
        );
      });
    },
  );

  test.each(blocks)(
    `${EACH}: each owner's tokens sum to what the logs say, transaction by transaction`,
    (block) => {
      const raw = readRealParts(block) as Raw;
      const decoded = decodeRealBlock(block);
      raw.receipts.forEach((receipt, position) => {
        const tokens = byTransaction(decoded, position).filter(({ asset }) => asset !== NATIVE);
        const found = changesOf(tokens, (party, asset) => `${asset} ${party}`);
        expect(nonZero(found)).toEqual(nonZero(tokenChanges(receipt, rulesOf(block.chain).wrappedNative)));
      });
    },
  );

  test.each(blocks.filter(({ chain }) => chain === 'ethereum'))(
    `${EACH}: what fees destroy is the block's gas times its base fee`,
    (block) => {
      const { block: header } = readRealParts(block) as Raw;
      const burnt = decodeRealBlock(block).movements.filter(({ kind, to }) => kind === 'fee' && to === null);
      const expected = BigInt(header.gasUsed) * BigInt(header.baseFeePerGas ?? '0x0');
      expect(burnt.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)).toBe(expected);
    },
  );

  test.each(blocks)(
    `${EACH}: rows are in order, numbered without gaps, and every transaction they name is listed`,
    (block) => {
      const decoded = decodeRealBlock(block);
      const listed = new Set(decoded.transactions.map(({ txIndex }) => txIndex));
      let before: Movement | null = null;
      for (const movement of decoded.movements) {
        const starts = before === null || before.txIndex !== movement.txIndex;
        expect(movement.index).toBe(starts ? 0 : (before?.index ?? 0) + 1);
        if (starts && before !== null && movement.txIndex !== null) {
          expect(before.txIndex).not.toBeNull();
          expect(movement.txIndex).toBeGreaterThan(before.txIndex ?? -1);
        }
        if (movement.txIndex !== null) expect(listed.has(movement.txIndex)).toBe(true);
        expect(movement.amountRaw > 0n || movement.asset !== NATIVE).toBe(true);
        before = movement;
      }
    },
  );

  test.each(blocks.filter((block) => readExpected(block, 'rosetta_operations.json') !== null))(
    `${EACH}: every account's change is that of the Rosetta operations`,
    (block) => {
      const decoded = decodeRealBlock(block);
      const changes = (hash: string): Record<string, bigint> => {
        const position =
          decoded.transactions.find((transaction) => transaction.hash === hash)?.txIndex ?? null;
        const own = hash === decoded.hash || position !== null;
        const rows = decoded.movements.filter(
          ({ txIndex, asset }) => own && txIndex === position && asset === NATIVE,
        );
        return nonZero(changesOf(rows, (party) => party));
      };
      for (const { hash, operations } of readRosetta(block)) {
        const expected: Balances = new Map();
        for (const { address, value } of operations) change(expected, address.toLowerCase(), BigInt(value));
        expect(changes(hash)).toEqual(nonZero(expected));
      }
    },
  );
});

type Operations = { hash: string; operations: { address: string; value: string }[] };

/** The two spellings of Rosetta's JSON, reduced to account and amount; the block's own reward has the block's hash. */
const readRosetta = (block: RealBlock): Operations[] => {
  type Operation = { status: string; account: { address: string }; amount?: { value: string } };
  type Transaction = {
    transaction_identifier?: { hash: string };
    transactionIdentifier?: { hash: string };
    operations?: Operation[];
  };
  const text = readExpected(block, 'rosetta_operations.json') ?? '';
  const { transactions } = (JSON.parse(text) as { block: { transactions: Transaction[] } }).block;
  return transactions.map(({ transaction_identifier, transactionIdentifier, operations = [] }) => ({
    hash: (transaction_identifier ?? transactionIdentifier)?.hash ?? '',
    operations: operations
      .filter(({ status }) => status === 'SUCCESS')
      .map(({ account, amount }) => ({ address: account.address, value: amount?.value ?? '0' })),
  }));
};
