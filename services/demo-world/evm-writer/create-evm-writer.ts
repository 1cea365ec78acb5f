import { receiptsRoot } from '../../ingest/evm/checks/prove-roots.ts';
import { bloomOf } from '../../ingest/evm/roots/bloom.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { createBulkNames } from '../bulk-addresses.ts';
import type { Random } from '../random.ts';
import type { Call, Draft, Writer, Written } from '../writer.ts';
import { quantity, WETH } from './abi.ts';
import { type Executed, executeCall } from './execute-call.ts';
import type { Frame, Log } from './frames.ts';
import { createLedger } from './ledger.ts';

/** A node's three answers for a block. */
export type EvmBlock = {
  readonly family: 'evm';
  readonly chain: string;
  readonly number: number;
  readonly block: Readonly<Record<string, unknown>> & { readonly hash: string };
  readonly receipts: readonly Readonly<Record<string, unknown>>[];
  readonly traces: readonly { readonly txHash: string; readonly result: Frame }[];
};

export type EvmWriterOptions = {
  readonly chain: string;
  readonly chainId: number;
  readonly seed: number;
  readonly random: Random;
};

const GWEI = 1_000_000_000n;
const EMPTY_LIST_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const GAS_LIMIT = 30_000_000;
const WITHDRAWALS_PER_BLOCK = 1;

type Pending = {
  readonly hash: string;
  readonly executed: Executed;
  readonly sender: string;
  readonly nonce: number;
  readonly gasUsed: number;
  readonly tipWei: bigint;
  readonly failed: boolean;
  /** Half of the wallets still send legacy transactions with a plain gas price. */
  readonly legacy: boolean;
};

type Header = {
  readonly number: number;
  readonly timeUnixSeconds: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly baseFeeWei: bigint;
  readonly miner: string;
};

/** The event of an order costs nothing: worlds of earlier versions keep their fees. */
const gasOf = (executed: Executed, { order }: Call): number => {
  if (executed.top.input === '0x') return 21_000;
  const count = (frame: Frame): number => 1 + (frame.calls ?? []).reduce((sum, call) => sum + count(call), 0);
  return (
    26_000 + 17_500 * count(executed.top) + 3_000 * (executed.logs.length - (order === undefined ? 0 : 1))
  );
};

const isCreation = ({ top }: Executed): boolean => top.type === 'CREATE';

const toTransaction = (header: Header, pending: Pending, index: number, chainId: number) => {
  const { executed, legacy, tipWei } = pending;
  const gasPrice = quantity(header.baseFeeWei + tipWei);
  return {
    blockHash: header.hash,
    blockNumber: quantity(header.number),
    from: pending.sender,
    gas: quantity(Math.ceil(pending.gasUsed * 1.2)),
    gasPrice,
    ...(legacy
      ? {}
      : { maxFeePerGas: quantity(header.baseFeeWei * 2n + tipWei), maxPriorityFeePerGas: quantity(tipWei) }),
    hash: pending.hash,
    input: executed.top.input,
    nonce: quantity(pending.nonce),
    to: isCreation(executed) ? null : executed.top.to,
    transactionIndex: quantity(index),
    value: executed.top.value,
    type: legacy ? '0x0' : '0x2',
    ...(legacy ? {} : { accessList: [], yParity: '0x0' }),
    chainId: quantity(chainId),
  };
};

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

const toReceipt = (header: Header, pending: Pending, index: number, gasBefore: number, firstLog: number) => ({
  blockHash: header.hash,
  blockNumber: quantity(header.number),
  contractAddress: isCreation(pending.executed) ? pending.executed.top.to : null,
  cumulativeGasUsed: quantity(gasBefore + pending.gasUsed),
  effectiveGasPrice: quantity(header.baseFeeWei + pending.tipWei),
  from: pending.sender,
  gasUsed: quantity(pending.gasUsed),
  logs: (pending.failed ? [] : pending.executed.logs).map((log: Log, at: number) => ({
    address: log.address,
    topics: log.topics,
    data: log.data,
    blockNumber: quantity(header.number),
    transactionHash: pending.hash,
    transactionIndex: quantity(index),
    blockHash: header.hash,
    logIndex: quantity(firstLog + at),
    removed: false,
  })),
  logsBloom: hexOf(bloomOf(pending.failed ? [] : pending.executed.logs)),
  status: pending.failed ? '0x0' : '0x1',
  to: isCreation(pending.executed) ? null : pending.executed.top.to,
  transactionHash: pending.hash,
  transactionIndex: quantity(index),
  type: pending.legacy ? '0x0' : '0x2',
});

const toTrace = ({ hash, executed, gasUsed, failed }: Pending) => ({
  txHash: hash,
  result: {
    ...executed.top,
    gasUsed: quantity(gasUsed),
    ...(failed ? { error: 'execution reverted' } : {}),
  },
});

/**
 * Writes genuine EVM blocks: receipts with logs, effective gas prices, call traces, beacon withdrawals. Hashes are
 * derived from numbers, so signatures and the header's seal are left out.
 */
export const createEvmWriter = (options: EvmWriterOptions): Writer<EvmBlock> => {
  const { chain, chainId, random } = options;
  const names = createBulkNames(chain, options.seed);
  let addresses = 0;
  let hashes = 0;
  const newAddress = (): string => names.address(addresses++);
  const newHash = (): string => names.hash(hashes++);
  const ledger = createLedger();
  const nonces = new Map<string, number>();
  const builders = Array.from({ length: 4 }, newAddress);
  const validators = Array.from({ length: 40 }, newAddress);
  let withdrawals = 0;
  let pending: Pending[] = [];
  let header: Header = {
    number: 0,
    timeUnixSeconds: 0,
    hash: newHash(),
    parentHash: newHash(),
    baseFeeWei: 20n * GWEI,
    miner: builders[0] ?? '',
  };

  const charge = (sender: string, gasUsed: number, tipWei: bigint): void => {
    ledger.add(sender, NATIVE, -BigInt(gasUsed) * (header.baseFeeWei + tipWei));
    ledger.add(header.miner, NATIVE, BigInt(gasUsed) * tipWei);
  };
  const write = (draft: Draft): Written => {
    const [call, ...more] = draft.calls;
    if (call === undefined || more.length > 0) throw new RangeError('an EVM transaction is one call');
    const { sender, fails: failed = false } = draft;
    const tipWei = BigInt(random.between(1, 300)) * (GWEI / 100n);
    ledger.begin();
    let gasUsed = 0;
    let executed: Executed;
    try {
      executed = executeCall(ledger, sender, call);
      gasUsed = gasOf(executed, call);
      if (failed) {
        ledger.undo();
        ledger.begin();
      }
      charge(sender, gasUsed, tipWei);
    } catch (error) {
      ledger.undo();
      throw error;
    }
    const nonce = nonces.get(sender) ?? 0;
    nonces.set(sender, nonce + 1);
    const hash = newHash();
    pending.push({ hash, executed, sender, nonce, gasUsed, tipWei, failed, legacy: random.chance(0.5) });
    return { hash, blockNumber: header.number, timeUnixSeconds: header.timeUnixSeconds };
  };
  const payValidators = (): unknown[] =>
    Array.from({ length: WITHDRAWALS_PER_BLOCK }, () => {
      const validator = withdrawals % validators.length;
      const address = validators[validator] ?? '';
      const gwei = BigInt(random.between(14_000_000, 19_000_000));
      ledger.add(address, NATIVE, gwei * GWEI);
      const index = quantity(withdrawals++);
      return { index, validatorIndex: quantity(validator), address, amount: quantity(gwei) };
    });

  return {
    chain,
    family: 'evm',
    wrapped: WETH,
    feeReserveRaw: 20_000_000n * GWEI,
    paymentFeeMaxRaw: 21_000n * 43n * GWEI,
    newAddress,
    newDerived: newAddress,
    addContract: () => undefined,
    addToken: ({ address = newAddress() }) => address,
    endow: (address, asset, amountRaw) => {
      ledger.add(address, asset, amountRaw);
      // The wrapping contract holds one coin for each wrapped one.
      if (asset === WETH) ledger.add(WETH, NATIVE, amountRaw);
    },
    balance: (address, asset) => ledger.get(address, asset),
    write,
    open: (number, timeUnixSeconds) => {
      // The base fee wanders by up to an eighth a block, between 8 and 40 gwei.
      const wandered = (header.baseFeeWei * BigInt(random.between(900, 1_110))) / 1_000n;
      const baseFeeWei = wandered < 8n * GWEI ? 8n * GWEI : wandered > 40n * GWEI ? 40n * GWEI : wandered;
      header = {
        number,
        timeUnixSeconds,
        hash: newHash(),
        parentHash: header.hash,
        baseFeeWei,
        miner: random.pick(builders),
      };
      pending = [];
    },
    seal: () => {
      let gasBefore = 0;
      let firstLog = 0;
      const receipts = pending.map((each, index) => {
        const receipt = toReceipt(header, each, index, gasBefore, firstLog);
        gasBefore += each.gasUsed;
        firstLog += receipt.logs.length;
        return receipt;
      });
      const transactions = pending.map((each, index) => toTransaction(header, each, index, chainId));
      const entries = receipts.map((receipt, txIndex) => ({
        txIndex,
        tx: transactions[txIndex] ?? {},
        receipt,
      }));
      return {
        family: 'evm',
        chain,
        number: header.number,
        block: {
          baseFeePerGas: quantity(header.baseFeeWei),
          difficulty: '0x0',
          extraData: '0x',
          gasLimit: quantity(GAS_LIMIT),
          gasUsed: quantity(gasBefore),
          hash: header.hash,
          logsBloom: hexOf(bloomOf(receipts.flatMap(({ logs }) => logs))),
          miner: header.miner,
          nonce: '0x0000000000000000',
          number: quantity(header.number),
          parentHash: header.parentHash,
          receiptsRoot: receiptsRoot(entries),
          sha3Uncles: EMPTY_LIST_HASH,
          size: quantity(1_000 + 200 * pending.length),
          stateRoot: header.hash,
          timestamp: quantity(header.timeUnixSeconds),
          totalDifficulty: '0xc70d815d562d3cfa955',
          transactions,
          uncles: [],
          withdrawals: payValidators(),
        },
        receipts,
        traces: pending.map(toTrace),
      };
    },
  };
};
