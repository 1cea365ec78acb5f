import { setTimeout as sleep } from 'node:timers/promises';
import { openReferenceEvents, type ReferenceEvents } from '../../events/reference-events.ts';
import { createEvmRpc } from '../../ingest/evm/evm-rpc.ts';
import { fetchTokenClaims } from '../../ingest/evm/fetch-token-claims.ts';
import { type Chain, findChain } from '../../investigate/model/chain.ts';
import { KNOWN_ASSETS } from '../../investigate/model/known-assets.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import type { Logger } from '../../platform/logger.ts';
import { retryForever } from '../../platform/retry.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readUndescribedAssets } from '../../warehouse/derive/undescribed-assets.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import type { ChainToFollow } from '../ingest/start-ingest.ts';
import { REFERENCE_GROUP } from '../sink/start-references.ts';
import { SINK_GROUP } from '../sink/start-sink.ts';
import type { Store } from '../store/open-store.ts';
import { readLanes } from './derive-store.ts';

const EVERY_MS = 5_000;
const TOKENS_MAX = 500;
/** Above this number, tokens that no node described are forgotten. They are asked about again when they move. */
const LEFT_OUT_MAX = 10_000;
/** Names and decimals take a hundredth of it, but a contract may answer anything. */
const ANSWER_BYTES_MAX = 4 << 20;
const QUERY_TIMEOUT_MS = 120_000;

type Request = {
  readonly store: Pick<Store, 'log' | 'registry'>;
  readonly warehouse: Pick<Warehouse, 'reader'>;
  readonly chains: readonly Pick<ChainToFollow, 'name' | 'rpcUrls'>[];
  readonly logger: Logger;
  readonly everyMs?: number;
  readonly leftOutMax?: number;
};

/**
 * Asks EVM nodes once for the name and decimals of each token that moves, because EVM blocks do not contain them.
 * Answers go into the log.
 */
export const startDescribing = (request: Request): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = request.chains.map(async ({ name, rpcUrls }) => {
    const chain = findChain(name);
    if (chain?.family !== 'evm') return;
    const logger = request.logger.child({ chain: name });
    const onWait = (err: unknown, waitMs: number): void =>
      logger.warn({ err, waitMs }, 'tokens could not be described by a node; trying again');
    const open = () => openReferenceEvents(request.store.registry);
    const events = await retryForever(open, { signal, onWait });
    const round = createRound({ ...request, chain, rpcUrls, logger, events });
    for (;;) {
      const isDone = await retryForever(() => round(signal), { signal, onWait });
      if (isDone) await sleep(request.everyMs ?? EVERY_MS, undefined, { signal });
    }
  });
  const ended = Promise.allSettled(running);
  return {
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
};

type RoundOptions = Pick<Request, 'store' | 'warehouse' | 'logger' | 'leftOutMax'> & {
  readonly chain: Chain;
  readonly rpcUrls: readonly string[];
  readonly events: ReferenceEvents;
};

/** Asks about a bounded number of tokens; true if none are left. */
const createRound = (options: RoundOptions) => {
  const { store, warehouse, logger, chain, rpcUrls, events, leftOutMax = LEFT_OUT_MAX } = options;
  const nodes = rpcUrls.map((url) => createEvmRpc({ url, answerBytesMax: ANSWER_BYTES_MAX }));
  /** Tokens that a node could not describe now. They are retried after a restart, or when there are too many. */
  const leftOut = new Set<string>();
  const listed = KNOWN_ASSETS.filter((known) => known.chain === chain.name).map(({ asset }) => asset);
  /** By partition, not by block, because history is filled in behind the newest block. */
  const looked = new Map<number, number>();
  let failures = 0;

  return async (signal: AbortSignal): Promise<boolean> => {
    // Earlier answers must be in the tables, or they would be asked for again.
    if ((await readLag(store.log, REFERENCE_GROUP, ['assets'])) > 0) return true;
    const limits = { signal, timeoutMs: QUERY_TIMEOUT_MS };
    const stored = await readLanes(store, [SINK_GROUP]);
    const lanes = stored.map((each) => ({ ...each, begin: looked.get(each.lane) ?? 0 }));
    if (lanes.every(({ begin, end }) => begin === end)) return true;
    const tokens = await readUndescribedAssets(warehouse.reader, {
      chain: chain.name,
      lanes,
      limit: TOKENS_MAX,
      known: [NATIVE, chain.wrappedNative, ...listed, ...leftOut],
      ...limits,
    });
    const node = nodes[failures % nodes.length];
    if (node === undefined) return true;
    const claims = await fetchTokenClaims(node, tokens, signal).catch((error: unknown) => {
      // The next attempt asks the next node.
      failures += 1;
      throw error;
    });
    const records = tokens.flatMap((asset, at) => {
      const claim = claims[at];
      if (claim) return [events.describe({ chain: chain.name, asset, ...claim })];
      leftOut.add(asset);
      return [];
    });
    if (tokens.length > 0 && records.length === 0) throw new Error('the node does not answer contract calls');
    if (records.length > 0) await store.log.append(records);
    if (tokens.length > 0) logger.debug({ asked: tokens.length, told: records.length }, 'tokens described');
    if (tokens.length === TOKENS_MAX) return false;
    for (const { lane, end } of lanes) looked.set(lane, end);
    if (leftOut.size > leftOutMax) leftOut.clear();
    return true;
  };
};
