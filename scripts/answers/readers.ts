import type { TruthLine } from '../../services/demo-world/truth.ts';
import type { AssetReader } from '../../services/investigate/model/asset-reader.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import type { CaseReader } from '../../services/investigate/model/case-reader.ts';
import type { ControlReader } from '../../services/investigate/model/control-reader.ts';
import type { FunderReader } from '../../services/investigate/model/funder-reader.ts';
import type { Label } from '../../services/investigate/model/label.ts';
import type { PriceReader } from '../../services/investigate/model/price-reader.ts';
import type { ProfileReader } from '../../services/investigate/model/profile-reader.ts';
import type { TokenReader } from '../../services/investigate/model/token-reader.ts';
import type { Service, TraceReader } from '../../services/investigate/model/trace-reader.ts';
import type { TransferReader } from '../../services/investigate/model/transfer-reader.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import { createMemoryAssetReader } from '../../services/testing/memory/memory-asset-reader.ts';
import { createMemoryCaseReader } from '../../services/testing/memory/memory-case-reader.ts';
import { createMemoryControlReader } from '../../services/testing/memory/memory-control-reader.ts';
import { createMemoryFunderReader } from '../../services/testing/memory/memory-funder-reader.ts';
import {
  type AssetQuote,
  createMemoryPriceReader,
} from '../../services/testing/memory/memory-price-reader.ts';
import { createMemoryProfileReader } from '../../services/testing/memory/memory-profile-reader.ts';
import { createMemoryTokenReader } from '../../services/testing/memory/memory-token-reader.ts';
import { createMemoryTraceReader } from '../../services/testing/memory/memory-trace-reader.ts';
import { createMemoryReader } from '../../services/testing/memory-reader.ts';
import { createAssetReader } from '../../services/warehouse/read/assets/assets.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createCaseReader } from '../../services/warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../services/warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../services/warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../../services/warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../../services/warehouse/read/create-token-reader.ts';
import { createTraceReader } from '../../services/warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';

/** What every recorded question is asked of. */
export type Readers = {
  readonly transfers: TransferReader;
  readonly trace: TraceReader;
  readonly profile: ProfileReader;
  readonly control: ControlReader;
  readonly tokens: TokenReader;
  readonly cases: CaseReader;
  readonly funders: FunderReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
};

export type Known = {
  readonly labels?: ReadonlyMap<string, Label>;
  readonly services?: ReadonlyMap<string, Service>;
  readonly quotes?: readonly AssetQuote[];
  readonly imitated?: ReadonlyMap<string, string>;
};

/** Over blocks in memory, without an engine. */
export const memoryReaders = (blocks: readonly DecodedBlock[], known: Known = {}): Readers => {
  const { labels = new Map(), services = new Map(), quotes = [], imitated = new Map() } = known;
  return {
    transfers: createMemoryReader(blocks, { labels }),
    trace: createMemoryTraceReader(blocks, { labels, services }),
    profile: createMemoryProfileReader(blocks, { labels, services }),
    control: createMemoryControlReader(blocks),
    tokens: createMemoryTokenReader(blocks),
    cases: createMemoryCaseReader(blocks, { imitated }),
    funders: createMemoryFunderReader(blocks),
    prices: createMemoryPriceReader(quotes),
    assets: createMemoryAssetReader(),
  };
};

/** Over the embedded engine. */
export const tableReaders = (client: WarehouseClient): Readers => ({
  transfers: createTransferReader(client),
  trace: createTraceReader(client),
  profile: createProfileReader(client),
  control: createControlReader(client),
  tokens: createTokenReader(client),
  cases: createCaseReader(client),
  funders: createFunderReader(client),
  prices: createPriceReader(client),
  assets: createAssetReader(client),
});

const HALF_A_DAY = 43_200;

/** What is known of a generated world beside its blocks. */
export const knownOf = (truth: readonly TruthLine[]): Known => {
  const labels = new Map<string, Label>();
  const services = new Map<string, Service>();
  const quotes: AssetQuote[] = [];
  const imitated = new Map<string, string>();
  const quotedUntil = new Map<string, number>();
  for (const line of truth) {
    if (line.type === 'label' && line.known) {
      labels.set(line.address, { name: line.name, kind: line.kind as Label['kind'] });
      services.set(line.address, { entity: line.name.replace(/ [\d.]+( [A-Z]+)?$/, ''), kind: line.kind });
    }
    if (line.type === 'lookalike') imitated.set(line.victim, line.of);
    if (line.type === 'price' && line.time >= (quotedUntil.get(line.asset) ?? 0)) {
      quotedUntil.set(line.asset, line.time + HALF_A_DAY);
      const time = { beginUnixSeconds: line.time, atUnixSeconds: line.time };
      quotes.push({
        ...{ chain: line.chain, canonicalAsset: line.asset, usd: line.usd },
        ...{ source: 'import:world', span: 'time', ...time },
      });
    }
  }
  return { labels, services, quotes, imitated };
};
