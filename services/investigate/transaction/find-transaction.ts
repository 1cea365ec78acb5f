import type { Clock } from '../../platform/clock.ts';
import type { Address } from '../model/address.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Chain } from '../model/chain.ts';
import type { Label } from '../model/label.ts';
import type { PriceReader } from '../model/price-reader.ts';
import { answersByKey } from '../model/query.ts';
import type { TraceReader } from '../model/trace-reader.ts';
import type { TransactionRow } from '../model/transfer-reader.ts';
import { type Values, valueAmounts } from '../model/value-amounts.ts';
import { openPorts, type PortReads } from '../session/kinds/port-kinds.ts';
import { refuseWithoutAnswer } from '../session/left-out.ts';

/** Rows of one transaction that are told. */
export const MOVEMENTS_MAX = 1_000;
const TIME_BUDGET_MS = 20_000;
const READ_TIMEOUT_MS = 10_000;

export type FindTransactionRequest = {
  /** A hash of EVM chains may be on any of them: each that may be meant, the likeliest first. */
  readonly chains: readonly [Chain, ...Chain[]];
  readonly hash: string;
};

export type FindTransactionDependencies = {
  readonly reader: Pick<TraceReader, 'transaction' | 'labels'>;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  readonly clock: Clock;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
};

export type FoundTransaction = {
  readonly chain: Chain;
  readonly hash: string;
  /** In the order of the transaction; empty where nothing of it is indexed, or nothing moved. */
  readonly rows: readonly TransactionRow[];
  readonly isKnown: boolean;
  /** Whether these are all. */
  readonly isComplete: boolean;
  readonly labels: ReadonlyMap<Address, Label>;
  readonly values: Values;
};

type Ports = Pick<FindTransactionDependencies, 'reader' | 'prices' | 'assets'>;

/** What one transaction moved, on the first chain that has it. Throws `ReadFailedError`. */
export const findTransaction = (
  request: FindTransactionRequest,
  { reader, prices, assets, clock, signal }: FindTransactionDependencies,
): Promise<FoundTransaction> => {
  const budget = { ms: TIME_BUDGET_MS, readMs: READ_TIMEOUT_MS };
  const reads = openPorts({ reader, prices, assets }, { clock, signal, budget });
  return find(request, reads).catch(refuseWithoutAnswer);
};

const find = async (
  { chains, hash }: FindTransactionRequest,
  asking: PortReads<Ports>,
): Promise<FoundTransaction> => {
  const { reader } = asking;
  const reads = await Promise.all(
    chains.map(async (chain) => {
      const [read = null] = await reader.transaction({ chain: chain.name, limit: MOVEMENTS_MAX }, [hash]);
      return { chain, read };
    }),
  );
  const { chain, read } = reads.find((each) => each.read !== null) ?? { chain: chains[0], read: null };
  const rows = read?.rows ?? [];
  const addresses = [...new Set(rows.flatMap(({ from, to, sender }) => [from, to, sender]))];
  const [labels, values] = await Promise.all([
    answersByKey(reader.labels, { chain: chain.name }, addresses),
    valueAmounts(chain, rows, asking),
  ]);
  return {
    ...{ chain, hash, rows, labels, values },
    ...{ isKnown: read !== null, isComplete: read?.isComplete ?? true },
  };
};
