import Koa from 'koa';
import type { ApiMiddleware, ApiState } from '../../services/api/context.ts';
import { createApplication } from '../../services/api/create-application.ts';
import { jsonBody } from '../../services/api/middleware/json-body.ts';
import { requestSignal } from '../../services/api/middleware/request-signal.ts';
import { identifyCaller } from '../../services/api/paid/caller.ts';
import { createChargeCall } from '../../services/api/paid/charge-call.ts';
import { showCredits } from '../../services/api/paid/show-credits.ts';
import { createRouter, type Route } from '../../services/api/router.ts';
import { serve } from '../../services/api/serve.ts';
import { bulkAddress, bulkBlocks } from '../../services/demo-world/bulk-transfers.ts';
import { splitRecord } from '../../services/platform/avro/wire-format.ts';
import { systemClock } from '../../services/platform/clock.ts';
import { type Billing, startBilling } from '../../services/roles/billing/start-billing.ts';
import { createMetrics } from '../../services/roles/create-metrics.ts';
import { startApi } from '../../services/testing/start-api.ts';
import { createTransferReader } from '../../services/warehouse/read/create-transfer-reader.ts';
import { insertBlockTransfers } from '../../services/warehouse/sink/insert-block-transfers.ts';
import { type BenchStore, logger, say, withStore } from './bench-store.ts';
import { type Bench, type Figure, toFigure } from './figure.ts';
import { measureLoad, toRequest } from './http-load.ts';
import { numberOptions } from './number-options.ts';

const RUNS = 3;
const SECONDS = 3;
/** The number of accounts; each has one call at a time. */
const CONNECTIONS = 256;
const FOLLOW_CONNECTIONS = 4;
const CREDITS = 100_000_000;
const ANSWER = { hops: [], end: { reason: 'at_rest', detail: 'x'.repeat(200) } };
const BODY = JSON.stringify({ address: 'So11111111111111111111111111111111111111112', chain: 'solana' });
const BULK = { seed: 1, transfers: 200_000, chain: 'solana' };
const LOCAL = { host: '127.0.0.1', port: 0 };
const JSON_BODY = { 'content-type': 'application/json' };

/** The minimum work of a route. */
const bareApp = (): Koa<ApiState> => {
  const app = new Koa<ApiState>();
  app.use(async (ctx) => {
    ctx.body = ANSWER;
  });
  return app;
};

/** The service's own middleware, with a free and a paid route that always give the same answer. */
const constantApp = ({ accounts, ledger }: Billing): Koa<ApiState> => {
  const billing = { directory: accounts.directory, isOpen: () => false, takesPayments: false };
  const chargeCall = createChargeCall({ ledger, clock: systemClock, logger });
  const answerFree: ApiMiddleware = async (ctx) => {
    ctx.body = ANSWER;
  };
  const answerPaid: ApiMiddleware = async (ctx) => {
    const { caller } = ctx.state;
    ctx.body = await chargeCall({ caller, tariff: 'follow' }, async () => ({ answer: ANSWER, free: null }));
  };
  const identify = identifyCaller(billing);
  const paid = [requestSignal, identify, showCredits({ ledger }), jsonBody, identify] as const;
  const routes: Route[] = [
    ['GET', '/free', answerFree],
    ['POST', '/paid', ...paid, answerPaid],
  ];
  return createApplication({ logger, metrics: createMetrics() }).use(createRouter(routes));
};

const measureApp = async (app: Koa<ApiState>, requests: readonly string[]): Promise<number> => {
  const listening = await serve(app, LOCAL);
  try {
    return await measureLoad({ url: listening.url, requests, seconds: SECONDS });
  } finally {
    await listening.close({ graceMs: 0 });
  }
};

/** Keys of this many accounts with enough credits. */
const openAccounts = async ({ accounts, ledger }: Billing): Promise<string[]> => {
  const keys: string[] = [];
  for (let i = 0; i < CONNECTIONS; i++) {
    const { accountId } = await accounts.open(`bench ${i}`);
    await ledger.submit(`account:${accountId}`, { type: 'AddCredits', id: 'pack', credits: CREDITS });
    keys.push((await accounts.issueKey(accountId, 'bench')).key);
  }
  return keys;
};

/** /follow answered from tables, each connection with its own wallet. */
const measureFollow = async (
  bench: BenchStore,
  { accounts, ledger }: Billing,
  keys: readonly string[],
): Promise<number> => {
  const records = [...bulkBlocks(BULK)].flatMap((block) =>
    bench.store
      .encodeBlock(block)
      .map((record) => ({ sequence: block.number, avro: splitRecord(record).body })),
  );
  await insertBlockTransfers(bench.warehouse, { records, token: 'bench' });
  const reader = createTransferReader(bench.warehouse.reader);
  const billing = { ledger, directory: accounts.directory, isOpen: () => false };
  const api = await startApi({ reader, clock: systemClock, logger, metrics: createMetrics(), billing });
  const requests = keys.slice(0, FOLLOW_CONNECTIONS).map((key, i) => {
    const body = JSON.stringify({ address: bulkAddress(BULK, i + 100), chain: BULK.chain });
    return toRequest('POST', '/follow', { ...JSON_BODY, 'x-api-key': key }, body);
  });
  try {
    return await measureLoad({ url: api.url, requests, seconds: SECONDS });
  } finally {
    await api.close({ graceMs: 0 });
  }
};

/** Requests a second compared with an empty Koa, alternating in one run. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { runs } = numberOptions(argv, { runs: [RUNS] });
  return measureRoutes(runs);
};

const measureRoutes = (runs: number): Promise<Figure[]> =>
  withStore(async (bench) => {
    const billing = await startBilling(bench.store, { onError: (error) => say(`billing: ${String(error)}`) });
    try {
      const keys = await openAccounts(billing);
      const paid = keys.map((key) =>
        toRequest('POST', '/paid', { ...JSON_BODY, authorization: `Bearer ${key}` }, BODY),
      );
      const free = keys.map(() => toRequest('GET', '/free', {}));
      const rates = { bare: [] as number[], free: [] as number[], paid: [] as number[] };
      for (let i = 0; i < runs; i++) {
        rates.bare.push(await measureApp(bareApp(), free));
        rates.free.push(await measureApp(constantApp(billing), free));
        rates.paid.push(await measureApp(constantApp(billing), paid));
      }
      const over = (rate: readonly number[]): number[] =>
        rate.map((value, i) => value / (rates.bare[i] ?? Number.NaN));
      const unit = 'requests/s';
      return [
        toFigure(
          { name: 'api.free_over_bare_koa', unit: 'requests over those of a bare Koa', atLeast: 0.7 },
          over(rates.free),
        ),
        toFigure(
          { name: 'api.paid_over_bare_koa', unit: 'requests over those of a bare Koa', atLeast: 0.3 },
          over(rates.paid),
        ),
        toFigure({ name: 'api.bare_koa_per_s', unit }, rates.bare),
        toFigure({ name: 'api.paid_per_s', unit }, rates.paid),
        toFigure({ name: 'api.follow_per_s', unit: `${unit}, from tables of ${BULK.transfers} transfers` }, [
          await measureFollow(bench, billing, keys),
        ]),
      ];
    } finally {
      await billing.stop();
    }
  });

export const bench: Bench = { name: 'api', run };
