import type { Address } from '../model/address.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { ControlReader } from '../model/control-reader.ts';
import { type History, walletHistory } from '../model/history-coverage.ts';
import type { HoldingReader } from '../model/holding-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { ProfileReader } from '../model/profile-reader.ts';
import type { TokenReader } from '../model/token-reader.ts';
import { type ContiguousRange, ReadFailedError, type ReadLimits } from '../model/transfer-reader.ts';
import { withinTime } from '../model/within-time.ts';

/** What the parts of a profile need to read data. */
export type QueryContext = {
  readonly chain: Chain;
  readonly reader: ProfileReader;
  readonly control: ControlReader;
  readonly tokens: TokenReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Nodes of the chain. */
  readonly holdings: HoldingReader;
  /** The indexed blocks without a gap, read once. */
  readonly readSpan: () => Promise<ContiguousRange | null>;
  /** How much of a wallet's history the tables hold. */
  readonly historyOf: (wallet: Address) => Promise<History>;
  /** Milliseconds of the budget left for one more query. */
  readonly limits: () => ReadLimits & { readonly chain: string };
  /**
   * Runs an optional part: null when the budget ends first, and then `cut` names the part. Throws when the
   * tables cannot be reached.
   */
  readonly attempt: <T>(name: string, work: () => Promise<T>) => Promise<T | null>;
  /** Parts that the budget has cut off so far. */
  readonly cut: ReadonlySet<string>;
};

export type Ports = Pick<QueryContext, 'reader' | 'control' | 'tokens' | 'prices' | 'assets' | 'holdings'>;

type AskDependencies = Ports & {
  readonly chain: Chain;
  readonly backfills: Backfills;
  readonly nowMs: () => number;
  readonly budgetMs: number;
  readonly signal: AbortSignal;
};

export const createQueryContext = ({
  nowMs,
  budgetMs,
  signal,
  backfills,
  ...ports
}: AskDependencies): QueryContext => {
  const endMs = nowMs() + budgetMs;
  const cut = new Set<string>();
  const leftMs = (): number => Math.max(1, endMs - nowMs());
  const limits = () => ({ chain: ports.chain.name, signal, timeoutMs: leftMs() });
  let span: Promise<ContiguousRange | null> | undefined;
  const readSpan = (): Promise<ContiguousRange | null> => {
    span ??= ports.reader.contiguousRange(limits());
    return span;
  };
  return {
    ...ports,
    cut,
    limits,
    readSpan,
    historyOf: async (wallet) => walletHistory({ chain: ports.chain, wallet }, await readSpan(), backfills),
    attempt: async (name, work) => {
      try {
        return await withinTime({ signal, timeoutMs: leftMs() }, work);
      } catch (error) {
        if (!(error instanceof ReadFailedError && error.code === 'timeout')) throw error;
        cut.add(name);
        return null;
      }
    },
  };
};
