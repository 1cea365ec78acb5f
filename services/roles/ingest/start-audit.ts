import { setTimeout as sleep } from 'node:timers/promises';
import { createAnswerBudget } from '../../ingest/answer-budget.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import type { Store } from '../store/open-store.ts';
import { type AuditOptions, auditChain } from './audit-chain.ts';
import { openSource } from './open-source.ts';
import type { ChainProgress, ChainToFollow } from './start-ingest.ts';

const EVERY_MS = 600_000;
const ANSWER_BYTES_MAX = 64 << 20;

/** Audits every live chain again and again, one after the other, and says in its progress how many gaps stay open. */
export const startAudit = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'reader'>;
  chains: readonly ChainToFollow[];
  progress: readonly ChainProgress[];
  logger: Logger;
}): { stop(): Promise<void> } => {
  const stopping = new AbortController();
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  const audits = request.chains
    .filter(({ isLive }) => isLive)
    .map((chain) => {
      const logger = request.logger.child({ chain: chain.name });
      const options = optionsOf(request, chain, logger, budget);
      const state = request.progress.find((each) => each.chain === chain.name);
      return async () => {
        const { refilled, open } = await auditChain(options, stopping.signal);
        if (state) state.gaps = open.length;
        if (refilled.length > 0) logger.warn({ refilled }, 'gaps were filled again from the chain');
        if (open.length > 0) logger.error({ open }, 'gaps stay open: no node has these blocks');
      };
    });
  const running = keepAuditing(audits, request.logger, stopping.signal).catch(() => {});
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

const optionsOf = (
  { store, warehouse }: Parameters<typeof startAudit>[0],
  chain: ChainToFollow,
  logger: Logger,
  budget: ReturnType<typeof createAnswerBudget>,
): AuditOptions => ({
  store,
  warehouse,
  source: openSource(
    { ...chain, commitment: 'finalized' },
    { budget, rested: ({ endpoint, error }) => logger.warn({ err: error, endpoint }, 'an endpoint rests') },
  ),
  filledBefore: new Set(),
  events: {
    stored: (range) => logger.info(range, 'blocks that were missing are in the log'),
    problem: ({ block, problem }) =>
      logger.warn({ block, ...problem }, 'part of a block could not be decoded'),
    waiting: (err, waitMs) => logger.warn({ err, waitMs }, 'missing blocks are out of reach; asked again'),
  },
});

/** Ends only with the signal. */
const keepAuditing = async (
  audits: readonly (() => Promise<void>)[],
  logger: Logger,
  signal: AbortSignal,
): Promise<never> => {
  for (;;) {
    for (const audit of audits) {
      await audit().catch((err: unknown) => {
        signal.throwIfAborted();
        logger.warn({ err }, 'a chain could not be audited; the next audit comes');
      });
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
};
