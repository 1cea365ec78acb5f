import { createTransactionEncoder } from '../../events/encode-block.ts';
import { openWalletEvents } from '../../events/wallet-events.ts';
import { createEvmAskChain } from '../../ingest/evm/fetch-chain.ts';
import { createEvmWalletSource } from '../../ingest/evm/fetch-evm-wallet.ts';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { withWalletsChecked } from '../../ingest/nodes/check-chain.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import { createSolanaAskChain } from '../../ingest/solana/nodes/fetch-chain.ts';
import { createSolanaWalletSource } from '../../ingest/solana/nodes/fetch-solana-wallet.ts';
import { type ReadWalletsOptions, readWallets } from '../../ingest/wallets/read-wallets.ts';
import type { WalletSource } from '../../ingest/wallets/wallet-source.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { loadSchema } from '../../platform/avro/schemas.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../create-metrics.ts';
import { type Running, runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
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
  const { store, chains, logger, metrics, clock } = request;
  const run = async (signal: AbortSignal): Promise<void> => {
    const schema = loadSchema('TransactionTransfers');
    const shared = {
      log: store.log,
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
    const reading = openWalletSources(chains).map((source) => readWallets({ ...shared, source }, signal));
    await Promise.all(reading);
  };
  return runUntilStopped(run);
};

const openWalletSources = (chains: readonly ChainToFollow[]): WalletSource[] => {
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  return chains
    .filter(({ isLive }) => isLive)
    .map(({ name, rpcUrls }) => {
      const [create, createAskChain] =
        findChain(name)?.family === 'solana'
          ? [createSolanaWalletSource, createSolanaAskChain]
          : [createEvmWalletSource, createEvmAskChain];
      return anyOf(
        rpcUrls.map((url) =>
          withWalletsChecked(create({ chain: name, url, budget }), createAskChain({ url })),
        ),
      );
    });
};

/** Asks one endpoint after the other until one gives everything. Earlier results are known by hash. */
const anyOf = (sources: readonly WalletSource[]): WalletSource => ({
  chain: sources[0]?.chain ?? '',
  // A wallet counts as unused only if all endpoints say so.
  isUsed: async (wallet, signal) => {
    for (const { isUsed } of sources)
      if (!isUsed || (await isUsed(wallet, signal).catch(() => true))) return true;
    return false;
  },
  read: async function* (...request) {
    for (const [place, source] of sources.entries()) {
      try {
        return yield* source.read(...request);
      } catch (error) {
        if (!(error instanceof SourceError) || place === sources.length - 1) throw error;
      }
    }
    return 'complete';
  },
});
