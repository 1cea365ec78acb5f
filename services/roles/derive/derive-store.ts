import { sequenceOf, sequenceSlotOf } from '../../events/event-sequence.ts';
import { CHAINS } from '../../investigate/model/chain.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';
import { type DeriveRequest, deriveFacts } from '../../warehouse/derive/derive-facts.ts';
import type { Lane, SettledDepth } from '../../warehouse/derive/settled.ts';
import { readProgress } from '../../warehouse/sink/intent.ts';
import { type ChainToFollow, REORG_DEPTH_MAX } from '../ingest/start-ingest.ts';
import { REFERENCE_GROUP } from '../sink/start-references.ts';
import { SINK_GROUP } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';

const HEAD_TOPIC = 'transfers.head';

/** Chains that are followed; an empty list says nothing of those that were. */
export type DerivedChains = readonly Pick<ChainToFollow, 'name' | 'commitment'>[];

/**
 * Brings the derived tables of a store up to what its sinks have finished and its chains have settled. Throws as `deriveFacts`,
 * and what the log throws.
 */
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
  const depth = depthOf(chains, await readFollowed(store));
  await deriveFacts(writer, { lanes, depth, ...rest });
};

/** Everything below what these sinks committed is in every table of theirs, up to the first part that a commit carries on. */
export const readLanes = async ({ log }: Pick<Store, 'log'>, groups: readonly string[]): Promise<Lane[]> => {
  const commits = await Promise.all(groups.map((group) => log.commits(group)));
  return commits.flat().map((commit) => {
    const offset = Math.min(commit.offset, ...readProgress(commit.metadata).carried);
    return { lane: sequenceSlotOf(commit), end: sequenceOf({ ...commit, offset }) };
  });
};

/** Chains of which the log holds blocks of the head, each in a partition of its own; all others are final when they come. */
const readFollowed = async ({ log }: Pick<Store, 'log'>): Promise<ReadonlySet<string>> => {
  const ranges = await log.ranges(HEAD_TOPIC);
  return new Set(ranges.flatMap(({ partition, end }) => (end > 0 ? (CHAINS[partition]?.name ?? []) : [])));
};

/**
 * Where the source itself says that a block is final, it is; elsewhere ingestion says how much may be taken back. Of a chain
 * that was followed and of which nobody says how, nothing is known to be final.
 */
const depthOf =
  (chains: DerivedChains, followed: ReadonlySet<string>): SettledDepth =>
  (chain) => {
    const commitment = chains.find(({ name }) => name === chain)?.commitment;
    const isFinal = commitment === undefined ? !followed.has(chain) : commitment === 'finalized';
    return isFinal ? 0 : REORG_DEPTH_MAX;
  };
