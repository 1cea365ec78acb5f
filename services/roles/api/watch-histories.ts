import type { HistoryStatus } from '../../api/status/status-probes.ts';
import type { LiveChain } from '../../platform/config/chains.ts';
import type { Logger } from '../../platform/logger.ts';

/** Asks once, in the background, what each source of histories offers; null until it is known. */
export const watchHistories = (
  chains: readonly Pick<LiveChain, 'name' | 'rpcUrls' | 'history'>[],
  logger: Logger,
): (() => readonly HistoryStatus[] | null) => {
  let probed: readonly HistoryStatus[] | null = null;
  const probe = async (): Promise<void> => {
    // Its modules are many, and the start does not wait for them.
    const { probeHistories } = await import('../ingest/probe-histories.ts');
    probed = await probeHistories(chains);
  };
  if (chains.length > 0)
    void probe().catch((err: unknown) =>
      logger.warn({ err }, 'the sources of histories could not be probed'),
    );
  return () => probed;
};
