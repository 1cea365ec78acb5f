import type { Clock } from '../../platform/clock.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { CaseReader } from '../model/case-reader.ts';
import type { ControlReader } from '../model/control-reader.ts';
import type { FunderReader } from '../model/funder-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TokenReader } from '../model/token-reader.ts';
import type { ContiguousRange, TransferReader } from '../model/transfer-reader.ts';
import type { PortReads } from '../session/kinds/port-kinds.ts';

export type InsidersDependencies = {
  readonly tokens: TokenReader;
  readonly cases: Pick<CaseReader, 'movementsAt' | 'payments'>;
  readonly funders: FunderReader;
  readonly controls: Pick<ControlReader, 'eventsOf'>;
  readonly reader: Pick<TransferReader, 'labels' | 'transactionHashes' | 'contiguousRange'>;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Whether the token's history was read from its chain by itself, from that block on. */
  readonly isReadSince?: (blockNumber: number, span: ContiguousRange | null) => boolean;
  readonly clock: Clock;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
};

type InsidersPorts = Pick<
  InsidersDependencies,
  'tokens' | 'cases' | 'funders' | 'controls' | 'reader' | 'prices' | 'assets'
>;
export type InsidersReads = PortReads<InsidersPorts>;
