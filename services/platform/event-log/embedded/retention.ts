import type { Clock } from '../../clock.ts';
import type { Catalog } from './register-topics.ts';
import type { Writer } from './writer.ts';

/**
 * Deletes records beyond their topic's retention in short steps, between which appends continue. Returns the
 * number of deleted records.
 */
export const createEnforceRetention =
  ({ catalog, writer, clock }: { catalog: Catalog; writer: Writer; clock: Clock }) =>
  async (): Promise<number> => {
    let deleted = 0;
    for (const { name, retentionMs } of catalog.topics) {
      if (retentionMs < 0) continue;
      const beforeUnixMs = clock.nowUnixMs() - retentionMs;
      for (const partitionId of catalog.idsOf(name)) {
        for (;;) {
          const step = await writer.call('prune', { partitionId, beforeUnixMs });
          deleted += step.deleted;
          if (!step.more) break;
        }
      }
    }
    return deleted;
  };
