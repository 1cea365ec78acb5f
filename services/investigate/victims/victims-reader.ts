import type { Clock } from '../../platform/clock.ts';
import type { AssetReader } from '../model/asset-reader.ts';
import type { CaseReader } from '../model/case-reader.ts';
import type { ControlReader } from '../model/control-reader.ts';
import type { FunderReader } from '../model/funder-reader.ts';
import type { PriceReader } from '../model/price-reader.ts';
import type { TokenReader } from '../model/token-reader.ts';
import type { TransferReader } from '../model/transfer-reader.ts';
import type { PortReads } from '../session/kinds/port-kinds.ts';

export type VictimsDependencies = {
  readonly cases: CaseReader;
  readonly funders: FunderReader;
  readonly controls: Pick<ControlReader, 'eventsByParty' | 'eventsOf' | 'eventsOfHolder' | 'controlSpan'>;
  readonly tokens: Pick<TokenReader, 'balance'>;
  readonly reader: Pick<TransferReader, 'labels' | 'isKnown' | 'contiguousRange'>;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  readonly clock: Clock;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  readonly budgetMs?: number;
};

type VictimsPorts = Pick<
  VictimsDependencies,
  'tokens' | 'cases' | 'funders' | 'controls' | 'reader' | 'prices' | 'assets'
>;
export type VictimsReads = PortReads<VictimsPorts>;
