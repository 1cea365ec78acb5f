import { createTransactionEncoder } from '../../events/encode-block.ts';
import { type HistoryEvents, openHistoryEvents } from '../../events/history-events.ts';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { readHistory } from '../../ingest/history/read-history.ts';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import {
  type ReadWalletsOptions,
  readWallets,
  type WalletSource,
} from '../../ingest/wallets/read-wallets.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../create-metrics.ts';
import { type Running, runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { followWindows } from './follow-windows.ts';
import { keepQuotas } from './keep-quotas.ts';
import { openHistory } from './open-history.ts';
import type { ChainToFollow } from './start-ingest.ts';

/** A node works for some minutes at most for one question; older history is reported as missing. */
const LIMITS = {
  ...{ transactionsMax: 1_000, timeMs: 60_000, unusedTimeMs: 5_000 },
  ...{ freshMs: 600_000, atOnce: 4 },
};
const ANSWER_BYTES_MAX = 64 << 20;

/** Reads wallet histories from the nodes of live chains on demand. */
export const startWallets = (request: {
  store: Store;
  chains: readonly ChainToFollow[];
  logger: Logger;
  metrics?: Pick<Metrics, 'deadLetter'>;
  clock: Clock;
}): Running => {
  const { store, logger, metrics, clock } = request;
  const run = async (signal: AbortSignal): Promise<void> => {
    const schema = loadSchema('TransactionTransfers');
    const histories = await openHistoryEvents(store.registry);
    const shared = {
      log: store.log,
      histories,
      wallets: await openWalletEvents(store.registry),
      encode: createTransactionEncoder(await store.registry.register(schema)),
      limits: LIMITS,
      clock,
      events: {
        read: (wallet) => logger.info(wallet, 'the history of a wallet was read'),
        failed: ({ error, ...wallet }) =>
          logger.warn({ ...wallet, err: error }, 'no node gave the history of a wallet'),
        problem: ({ block, problem }) =>
          logger.warn({ block, ...problem }, 'part of a transaction could not be decoded'),
        deadLetter: (letter) => {
          metrics?.deadLetter(letter);
          logger.error(letter, 'a request for a wallet history is invalid and becomes a dead letter');
        },
        waiting: (err, waitMs) =>
          logger.warn({ err, waitMs }, 'a wallet history could not be written to the log; trying again'),
      },
    } satisfies Omit<ReadWalletsOptions, 'source'>;
    const quotas = await keepQuotas({ store, logger });
    const { sources, stop } = await openHistories(request, histories);
    try {
      await Promise.all(sources.map((source) => readWallets({ ...shared, source }, signal)));
    } finally {
      await stop();
      await quotas.stop();
    }
  };
  return runUntilStopped(run);
};

/** What reads the histories of each live chain, by windows that are not known yet. */
const openHistories = async (
  { chains, store, logger, clock }: Parameters<typeof startWallets>[0],
  histories: HistoryEvents,
): Promise<{ sources: WalletSource[]; stop(): Promise<void> }> => {
  const known = await followWindows({ store, events: histories, logger });
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  const sources = chains
    .filter(({ isLive }) => isLive)
    .map((chain): WalletSource => {
      const { node, sources } = openHistory(chain, budget);
      const history = { node, sources, known: known.windows, clock };
      return {
        chain: chain.name,
        ...(node.isUsed && { isUsed: node.isUsed }),
        read: (request, signal) => readHistory(history, request, signal),
      };
    });
  return { sources, stop: known.stop };
};
