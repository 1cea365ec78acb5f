import type { ApiMiddleware } from '../context.ts';
import type { Status, StatusReader } from './read-status.ts';

/** GET /status: 200 while the service can answer, 503 when it is down. */
export const createStatusHandler =
  ({ readStatus, version }: { readStatus: StatusReader; version: string }): ApiMiddleware =>
  async (ctx) => {
    const status = await readStatus();
    ctx.status = status.status === 'down' ? 503 : 200;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = presentStatus(status, version);
  };

const presentStatus = ({ status, timeUnixSeconds, components }: Status, version: string) => ({
  status,
  version,
  time: timeUnixSeconds,
  components: {
    event_log: components.eventLog,
    warehouse: components.warehouse,
    ledger: components.ledger,
    facilitator: components.facilitator,
    chains: components.chains.map(({ lagSeconds, stillSeconds, isStalled, ...chain }) => ({
      ...chain,
      lag_seconds: lagSeconds,
      still_seconds: stillSeconds,
      stalled: isStalled,
    })),
  },
});
