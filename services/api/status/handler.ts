import type { ApiMiddleware } from '../context.ts';
import { presentHistory } from './present-history.ts';
import type { Status, StatusReader } from './read-status.ts';

type StatusRouteDependencies = {
  readonly readStatus: StatusReader;
  readonly version: string;
  /** Whether calls without a key are free. Operators must notice that. null: this process does not know. */
  readonly isOpen: (() => boolean) | null;
};

/** GET /status: 200 while the service can answer, 503 when it is down. */
export const createStatusHandler =
  ({ readStatus, version, isOpen }: StatusRouteDependencies): ApiMiddleware =>
  async (ctx) => {
    const status = await readStatus();
    ctx.status = status.status === 'down' ? 503 : 200;
    ctx.body = { ...presentStatus(status, version), access: isOpen && (isOpen() ? 'open' : 'keys') };
  };

const presentStatus = (
  { status, timeUnixSeconds, components, insertsWaitSinceUnixMs, histories, waits }: Status,
  version: string,
) => ({
  status,
  version,
  time: timeUnixSeconds,
  components: {
    event_log: components.eventLog,
    warehouse: components.warehouse,
    ledger: components.ledger,
    derivation: components.derivation,
    facilitator: components.facilitator,
    chains: components.chains.map(({ lagSeconds, stillSeconds, isStalled, tracesMissing, ...chain }) => ({
      ...chain,
      lag_seconds: lagSeconds,
      still_seconds: stillSeconds,
      stalled: isStalled,
      traces_missing: tracesMissing,
    })),
  },
  ...(insertsWaitSinceUnixMs !== null && {
    inserts_wait_since: Math.floor(insertsWaitSinceUnixMs / 1_000),
  }),
  ...(histories && { histories: histories.map(presentHistory) }),
  ...(waits && {
    waiting_for: waits.map(({ part, sinceUnixMs }) => ({ part, since: Math.floor(sinceUnixMs / 1_000) })),
  }),
});
