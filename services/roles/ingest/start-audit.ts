import { setTimeout as sleep } from 'node:timers/promises';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { isLost } from '../../ingest/until-written.ts';
import type { Consumer } from '../../platform/event-log/event-log.ts';
import { holdGroup } from '../../platform/event-log/hold-group.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import type { Gap } from '../../warehouse/read/blocks/find-gaps.ts';
import { type Running, runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type AuditOptions, auditChain } from './audit-chain.ts';
import { KnownGaps } from './fill-gaps.ts';
import { type ChainNodes, openSource } from './open-source.ts';

export type RunningAudit = Running & {
  /** By chain: gaps that the newest audit left open. */
  readonly gaps: ReadonlyMap<string, number>;
};

type Request = {
  store: Store;
  warehouse: Pick<Warehouse, 'reader'>;
  /** Live chains. */
  chains: readonly ChainNodes[];
  logger: Logger;
};

const EVERY_MS = 600_000;
const ANSWER_BYTES_MAX = 64 << 20;
/** Gaps named in one log line. */
const SHOWN_MAX = 100;
const GROUP = 'audit';
/** A topic for the group; only membership matters. */
const TOPICS = ['ingest.ranges'];

/**
 * Audits all chains in turn, in one process at a time. `ended` rejects with `FencedError` when another process
 * took over.
 */
export const startAudit = (request: Request): RunningAudit => {
  const gaps = new Map<string, number>();
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  const audits = request.chains.map((chain) => {
    const logger = request.logger.child({ chain: chain.name });
    const options = optionsOf(request, chain, logger, budget);
    return async (signal: AbortSignal): Promise<void> => {
      const { refilled, open } = await auditChain(options, signal);
      gaps.set(chain.name, open.length);
      if (refilled.length > 0) logger.warn(shown(refilled), 'gaps were filled from the chain');
      if (open.length > 0) logger.error(shown(open), 'gaps stay open: no node has these blocks');
    };
  });
  const run = async (signal: AbortSignal): Promise<void> => {
    if (audits.length === 0) return;
    const onWait = (err: unknown, waitMs: number): void =>
      request.logger.warn({ err, waitMs }, 'the event log cannot be reached; the audit waits');
    const member = await holdGroup(request.store.log, { group: GROUP, topics: TOPICS, signal, onWait });
    if (!member) return;
    try {
      await keepAuditing(audits, member, request.logger, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await member.close();
    }
  };
  return { ...runUntilStopped(run), gaps };
};

const shown = (gaps: readonly Gap[]) => ({ count: gaps.length, gaps: gaps.slice(0, SHOWN_MAX) });

const optionsOf = (
  { store, warehouse }: Request,
  chain: ChainNodes,
  logger: Logger,
  budget: ReturnType<typeof createAnswerBudget>,
): AuditOptions => ({
  store,
  warehouse,
  source: openSource(
    { ...chain, commitment: 'finalized' },
    {
      budget,
      rested: ({ endpoint, error }) =>
        logger.warn({ err: error, endpoint }, 'a node failed and is not asked for a while'),
    },
  ),
  known: new KnownGaps(),
  passedOver: (err) => logger.warn({ err }, 'a record of a finished range cannot be read; it is skipped'),
  events: {
    stored: (range) => logger.info(range, 'missing blocks were added to the log'),
    problem: ({ block, problem }) =>
      logger.warn({ block, ...problem }, 'part of a block could not be decoded'),
    waiting: (err, waitMs) =>
      logger.warn({ err, waitMs }, 'missing blocks could not be fetched; trying again'),
  },
});

/** Ends only with the signal, or when another process becomes the auditor. */
const keepAuditing = async (
  audits: readonly ((signal: AbortSignal) => Promise<void>)[],
  member: Consumer,
  logger: Logger,
  signal: AbortSignal,
): Promise<never> => {
  for (;;) {
    for (const audit of audits) {
      try {
        await member.poll({ maxBytes: 1, waitMs: 0 });
        await audit(signal);
      } catch (err) {
        signal.throwIfAborted();
        if (isLost(err)) throw err;
        logger.warn({ err }, 'the audit of a chain failed; the next audit tries again');
      }
    }
    await sleep(EVERY_MS, undefined, { signal });
  }
};
