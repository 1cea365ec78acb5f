import type { HistoryStatus, SourceStatus } from '../../api/status/status-probes.ts';
import { createAnswerBudget } from '../../ingest/nodes/answer-budget.ts';
import { SourceError } from '../../ingest/nodes/source-error.ts';
import type { LiveChain } from '../../platform/config/chains.ts';
import { openHistory } from './open-history.ts';

const ANSWER_BYTES_MAX = 16 << 20;
const TIMEOUT_MS = 20_000;

/** Asks every source of a chain what it offers, all at once. A source that fails is told with its reason. */
export const probeHistories = (
  chains: readonly Pick<LiveChain, 'name' | 'rpcUrls' | 'history'>[],
  timeoutMs = TIMEOUT_MS,
): Promise<HistoryStatus[]> => {
  const budget = createAnswerBudget(ANSWER_BYTES_MAX);
  return Promise.all(
    chains.map(async (chain) => {
      const configured = [...chain.rpcUrls.map(() => null), ...(chain.history ?? [])];
      const { sources } = openHistory(chain, budget);
      const probed = sources.map(async (source, at): Promise<SourceStatus> => {
        const { perSecond = null, perDay = null } = configured[at] ?? {};
        const told = { source: source.name, place: at + 1, perSecond, perDay };
        const timeout = AbortSignal.timeout(timeoutMs);
        try {
          return { ...told, offers: await source.probe(timeout), trouble: null };
        } catch (error) {
          if (error instanceof SourceError) return { ...told, offers: null, trouble: error.code };
          if (timeout.aborted) return { ...told, offers: null, trouble: 'timeout' };
          throw error;
        }
      });
      return { chain: chain.name, sources: await Promise.all(probed) };
    }),
  );
};
