import type { Clock } from '../../platform/clock.ts';
import type { Address } from '../model/address.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { Backfills } from '../model/backfills.ts';
import type { Chain } from '../model/chain.ts';
import type { ControlReader } from '../model/control-reader.ts';
import { type History, walletHistory } from '../model/history-coverage.ts';
import type { HoldingReader } from '../model/holding-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { ProfileReader } from '../model/profile-reader.ts';
import type { Asking } from '../model/query.ts';
import type { TokenReader } from '../model/token-reader.ts';
import type { ContiguousRange } from '../model/transfer-reader.ts';
import type { Cut } from '../session/create-read-session.ts';
import { openPorts } from '../session/kinds/port-kinds.ts';

export type Ports = {
  readonly reader: ProfileReader;
  readonly control: ControlReader;
  readonly tokens: TokenReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Nodes of the chain. */
  readonly holdings: HoldingReader;
};

/** What the parts of a profile need to read data. */
export type QueryContext = { readonly [Port in keyof Ports]: Asking<Ports[Port]> } & {
  readonly chain: Chain;
  readonly onChain: { readonly chain: string };
  /** The indexed blocks without a gap, read once. */
  readonly readSpan: () => Promise<ContiguousRange | null>;
  /** How much of a wallet's history the tables hold. */
  readonly historyOf: (wallet: Address) => Promise<History>;
  /**
   * Runs an optional part: null when the budget ends first, and then `cut` names the part. Throws when the
   * tables cannot be reached.
   */
  readonly attempt: <T>(name: string, work: () => Promise<T>) => Promise<T | null>;
  /** Parts that the budget has cut off so far. */
  readonly cut: Cut;
};

type AskDependencies = {
  readonly ports: Ports;
  readonly chain: Chain;
  readonly backfills: Backfills;
  readonly clock: Clock;
  readonly budgetMs: number;
  readonly signal: AbortSignal;
};

export const createQueryContext = ({
  ports,
  chain,
  backfills,
  budgetMs,
  ...caller
}: AskDependencies): QueryContext => {
  const budget = { ms: budgetMs, readMs: budgetMs };
  const { session, leftMs: _, within: __, ...reads } = openPorts(ports, { ...caller, budget });
  const onChain = { chain: chain.name };
  const readSpan = async () => (await reads.reader.contiguousRange({}, [chain.name]))[0] ?? null;
  return {
    ...reads,
    ...{ chain, onChain, readSpan, attempt: session.attempt, cut: session.cut },
    historyOf: async (wallet) => walletHistory({ chain, wallet }, await readSpan(), backfills),
  };
};
