import type { Consumer, EventLog } from './event-log.ts';

/**
 * Waits for a group, however long another process holds it: one that stands by takes over when that ends. Null when told
 * to stop meanwhile.
 */
export const holdGroup = async (
  log: Pick<EventLog, 'consume'>,
  request: { readonly group: string; readonly topics: readonly string[]; readonly signal: AbortSignal },
): Promise<Consumer | null> => {
  try {
    return await log.consume({ ...request, waitMs: Number.MAX_SAFE_INTEGER });
  } catch (error) {
    if (request.signal.aborted) return null;
    throw error;
  }
};
