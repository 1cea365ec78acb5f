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

/** Followed chains; an empty list says nothing about earlier ones. */
export type DerivedChains = readonly Pick<ChainToFollow, 'name' | 'commitment'>[];

/**
 * Derives facts from what the sinks have stored and the chains have settled. Throws as `deriveFacts`, and what the
 * log throws.
 */
export const deriveStore = async (request: {
  store: Pick<Store, 'log'>;
  writer: WarehouseClient;
  chains: DerivedChains;
  signal: AbortSignal;
  onDone?: NonNullable<DeriveRequest['onDone']>;
  onRestart?: NonNullable<DeriveRequest['onRestart']>;
  readSpan?: NonNullable<DeriveRequest['readSpan']>;
}): Promise<void> => {
  const { store, writer, chains, ...rest } = request;
  const lanes = await readLanes(store, [SINK_GROUP, REFERENCE_GROUP]);
  const depth = depthOf(chains, await readFollowed(store));
  await deriveFacts(writer, { lanes, depth, ...rest });
};

/** Everything below the sinks' commits is in all their tables, up to the first part that a commit carries over. */
export const readLanes = async ({ log }: Pick<Store, 'log'>, groups: readonly string[]): Promise<Lane[]> => {
  const commits = await Promise.all(groups.map((group) => log.commits(group)));
  return commits.flat().map((commit) => {
    const offset = Math.min(commit.offset, ...readProgress(commit.metadata).carried);
    return { lane: sequenceSlotOf(commit), end: sequenceOf({ ...commit, offset }) };
  });
};

/** Chains with head blocks in the log, each in its own partition. All other blocks are final. */
const readFollowed = async ({ log }: Pick<Store, 'log'>): Promise<ReadonlySet<string>> => {
  const ranges = await log.ranges(HEAD_TOPIC);
  return new Set(ranges.flatMap(({ partition, end }) => (end > 0 ? (CHAINS[partition]?.name ?? []) : [])));
};

/**
 * A source may mark blocks as final; otherwise ingestion says how deep a reorganisation can go. If neither is
 * known for a followed chain, none of its blocks counts as final.
 */
const depthOf =
  (chains: DerivedChains, followed: ReadonlySet<string>): SettledDepth =>
  (chain) => {
    const commitment = chains.find(({ name }) => name === chain)?.commitment;
    const isFinal = commitment === undefined ? !followed.has(chain) : commitment === 'finalized';
    return isFinal ? 0 : REORG_DEPTH_MAX;
  };
