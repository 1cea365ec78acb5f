import { randomBytes } from 'node:crypto';
import type Koa from 'koa';
import type { Directory } from '../accounts/directory.ts';
import type { CaseDesk } from '../cases/case-desk.ts';
import type { Ledger } from '../credits/ledger.ts';
import type { AssetReader } from '../investigate/model/asset-reader.ts';
import type { Backfills } from '../investigate/model/backfills.ts';
import type { CaseReader } from '../investigate/model/case-reader.ts';
import type { ControlReader } from '../investigate/model/control-reader.ts';
import type { FunderReader } from '../investigate/model/funder-reader.ts';
import type { HistoryReader } from '../investigate/model/history-reader.ts';
import type { HoldingReader } from '../investigate/model/holding-reader.ts';
import type { PriceReader } from '../investigate/model/price-reader.ts';
import type { ProfileReader } from '../investigate/model/profile-reader.ts';
import type { TokenReader } from '../investigate/model/token-reader.ts';
import type { TraceReader } from '../investigate/model/trace-reader.ts';
import type { TransferReader } from '../investigate/model/transfer-reader.ts';
import type { Payments } from '../payments/take-payment.ts';
import type { JobDesk } from '../retrace/job-desk.ts';
import { accountRoutes } from './account/routes.ts';
import type { AccountArea } from './account/sign-in.ts';
import { createAnalyzeHandler } from './analyze/handler.ts';
import type { AskForWallet } from './asking/ask-in-time.ts';
import { createContinuations } from './asking/continuation.ts';
import { createContinueCall } from './asking/continue-call.ts';
import { createRunQuestion } from './asking/run-question.ts';
import { createAccountHandler } from './billing/account.ts';
import { createUsageHandler } from './billing/usage.ts';
import type { CaseExport } from './cases/export-case.ts';
import { createIssuedAnswers } from './cases/issued-answers.ts';
import { caseRoutes } from './cases/routes.ts';
import type { ApiLogger, ApiMiddleware, ApiState } from './context.ts';
import { listOperations } from './contract/operations.ts';
import { createApplication } from './create-application.ts';
import { documentRoutes } from './documents/routes.ts';
import { createFollowHandler } from './follow/handler.ts';
import { createInsidersHandler } from './insiders/handler.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { jsonBody } from './middleware/json-body.ts';
import { limitUnpaid } from './middleware/limit-unpaid.ts';
import { requestSignal } from './middleware/request-signal.ts';
import { streamSteps } from './middleware/stream-steps.ts';
import { type OperationsDependencies, statusRoutes } from './operations/routes.ts';
import type { Idempotency } from './paid/bind-call.ts';
import { identifyCaller } from './paid/caller.ts';
import { createChargeCall } from './paid/charge-call.ts';
import { createChargePayment } from './paid/charge-payment.ts';
import { isPaidPath } from './paid/resources.ts';
import { showCredits } from './paid/show-credits.ts';
import type { ArePricesPending } from './present-basis.ts';
import { retraceRoutes } from './retrace/routes.ts';
import { createRouter, type Route } from './router.ts';
import { createSignalsHandler } from './signals/handler.ts';
import { createTraceHandler } from './trace/handler.ts';
import { createTxHandler } from './tx/handler.ts';
import { createVictimsHandler } from './victims/handler.ts';

/** Access and prices. */
type ApiBilling = {
  readonly ledger: Ledger;
  readonly directory: Directory;
  /** Whether calls without a key are free. */
  readonly isOpen: () => boolean;
  /** x402 payments for calls without a key; none are taken without it. */
  readonly payments?: Payments | null;
  /** Idempotency-Keys; none are taken without it. */
  readonly idempotency?: Idempotency | null;
};

export type ApiDependencies = OperationsDependencies & {
  readonly reader: TransferReader;
  readonly traceReader: TraceReader;
  readonly profileReader: ProfileReader;
  readonly control: ControlReader;
  readonly cases: CaseReader;
  readonly funders: FunderReader;
  readonly controls: ControlReader;
  readonly tokens: TokenReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Without it no node is asked for balances. */
  readonly holdings?: HoldingReader;
  readonly logger: ApiLogger;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly billing: ApiBilling;
  /** Its address as users see it; null: as each request says. */
  readonly publicUrl?: URL | null;
  /** How many trusted proxies are in front; null: one, if it is on this machine. */
  readonly proxies?: number | null;
  /** Origins whose pages may call from a browser, `*` for all. */
  readonly origins?: readonly string[];
  /** null: nobody can sign in here. */
  readonly accountArea?: AccountArea | null;
  /** null: no jobs of many traces are taken here. */
  readonly desk?: JobDesk | null;
  /** Public keys of what is signed here; without it nothing is. */
  readonly evidenceKeys?: (() => Promise<readonly object[]>) | null;
  /** null: no case is signed here. */
  readonly caseExport?: CaseExport | null;
  /** null: the console keeps no cases here. */
  readonly caseDesk?: CaseDesk | null;
  /** As of the call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
  readonly arePricesPending: ArePricesPending;
  readonly waitForWalletsMs: number;
  /** How single histories were read; absent: answers do not tell. */
  readonly histories?: HistoryReader;
  /** Seals what continues calls; absent: only this process can read it. */
  readonly continuationSecret?: Uint8Array;
};

const onPaidPaths =
  (middleware: ApiMiddleware): ApiMiddleware =>
  (ctx, next) =>
    isPaidPath(ctx.path) ? middleware(ctx, next) : next();

/** The HTTP API as a Koa application; `listen` in serve.ts puts it on a port. */
export const createApi = (dependencies: ApiDependencies): Koa<ApiState> => {
  const { logger, clock, billing } = dependencies;
  const { payments = null, idempotency = null, ledger } = billing;
  const { publicUrl = null } = dependencies;
  const identify = identifyCaller({ ...billing, publicUrl, takesPayments: payments !== null });
  const chargePayment = payments && createChargePayment({ payments, ledger, clock, logger });
  const chargeCall = createChargeCall({ ledger, clock, logger, chargePayment, idempotency });
  const continuations = createContinuations(dependencies.continuationSecret ?? randomBytes(32));
  const bindsCalls = idempotency !== null;
  const continueCall = createContinueCall({ chargeCall, continuations, clock, bindsCalls });
  const runQuestion = createRunQuestion({ ...dependencies, continueCall });
  const issued = createIssuedAnswers();
  // Checked again when the body has arrived: it may come long after the head, and a key may be revoked meanwhile.
  const paid = [requestSignal, jsonBody, identify] as const;
  const operations = listOperations(dependencies, { hasAccounts: Boolean(dependencies.accountArea) });
  const routes: Route[] = [
    ['POST', '/analyze', ...paid, streamSteps, createAnalyzeHandler({ ...dependencies, runQuestion })],
    ['POST', '/follow', ...paid, streamSteps, createFollowHandler({ ...dependencies, runQuestion, issued })],
    ['POST', '/trace', ...paid, streamSteps, createTraceHandler({ ...dependencies, runQuestion })],
    ['POST', '/insiders', ...paid, streamSteps, createInsidersHandler({ ...dependencies, runQuestion })],
    ['POST', '/victims', ...paid, streamSteps, createVictimsHandler({ ...dependencies, runQuestion })],
    ['POST', '/tx', ...paid, createTxHandler({ ...dependencies, chargeCall })],
    ...retraceRoutes({ ...dependencies, identify }),
    ['GET', '/signals', createSignalsHandler()],
    ['GET', '/billing/account', identify, createAccountHandler(billing)],
    ['GET', '/billing/usage/:days', identify, createUsageHandler({ ...billing, clock })],
    ...caseRoutes({ ...dependencies, publicUrl, identify, issued }),
    ...statusRoutes(dependencies, billing.isOpen),
    ...documentRoutes({ ...dependencies, operations, takesPayments: payments !== null }),
    ...mcpRoutes({ ...dependencies, operations, dispatch: () => dispatch }),
  ];
  if (dependencies.accountArea) {
    const packs = payments && { payments, ledger, clock, logger, publicUrl };
    routes.push(...accountRoutes(dependencies.accountArea, { clock, billing, packs }));
  }
  const api = createApplication(dependencies);
  // Before the router, so that refusals of method and body also show the credits left.
  api.use(onPaidPaths(identify));
  api.use(onPaidPaths(showCredits(billing)));
  api.use(onPaidPaths(limitUnpaid(clock)));
  api.use(createRouter(routes));
  const dispatch = api.callback();
  return api;
};
