import { sequenceOf, sequenceSlotOf } from '../../events/event-sequence.ts';
import type { LiveChain } from '../../platform/config/chains.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type DeriveRequest, deriveFacts } from '../../warehouse/derive/derive-facts.ts';
import type { Lane, SettledDepth } from '../../warehouse/derive/settled.ts';
import { REORG_DEPTH_MAX } from '../ingest/start-ingest.ts';
import { REFERENCE_GROUP } from '../sink/start-references.ts';
import { SINK_GROUP } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';

/** Live chains; all others are read from files or ranges of what is final. */
export type DerivedChains = readonly Pick<LiveChain, 'name' | 'commitment'>[];

/** Brings the derived tables of a store up to what its sinks have finished and its chains have settled. Throws as `deriveFacts`. */
export const deriveStore = async (request: {
  store: Pick<Store, 'log'>;
  writer: WarehouseClient;
  chains: DerivedChains;
  signal: AbortSignal;
  onDone?: NonNullable<DeriveRequest['onDone']>;
  onRestart?: NonNullable<DeriveRequest['onRestart']>;
}): Promise<void> => {
  const { store, writer, chains, ...rest } = request;
  const lanes = await readLanes(store, [SINK_GROUP, REFERENCE_GROUP]);
  await deriveFacts(writer, { lanes, depth: depthOf(chains), ...rest });
};

/** Everything below what these sinks committed is in every table of theirs. */
export const readLanes = async ({ log }: Pick<Store, 'log'>, groups: readonly string[]): Promise<Lane[]> => {
  const commits = await Promise.all(groups.map((group) => log.commits(group)));
  return commits.flat().map((commit) => ({ lane: sequenceSlotOf(commit), end: sequenceOf(commit) }));
};

/** Where the source itself says that a block is final, it is; elsewhere ingestion says how much may be taken back. */
const depthOf =
  (chains: DerivedChains): SettledDepth =>
  (chain) =>
    chains.some(({ name, commitment }) => name === chain && commitment !== 'finalized') ? REORG_DEPTH_MAX : 0;
