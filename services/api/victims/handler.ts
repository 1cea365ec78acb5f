import type { Backfills } from '../../investigate/model/backfills.ts';
import { walletHistory } from '../../investigate/model/history-coverage.ts';
import { findVictims } from '../../investigate/victims/find-victims.ts';
import { TIME_BUDGET_MS } from '../../investigate/victims/rules.ts';
import type { VictimsDependencies } from '../../investigate/victims/victims-reader.ts';
import type { VictimsReport } from '../../investigate/victims/victims-report.ts';
import { writeCsv } from '../../platform/write-csv.ts';
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { readMissing } from '../read-missing.ts';
import { validate } from '../validate.ts';
import { LOSS_COLUMNS, toLossRows } from './loss-rows.ts';
import { presentVictims } from './presenter.ts';
import { createVictimsSchema } from './schema.ts';

export type VictimsRouteDependencies = Omit<VictimsDependencies, 'signal' | 'budgetMs'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
  /** How long a call may take that has its address read; 0: it does not wait. */
  readonly waitForWalletsMs: number;
};

const isNothingKnown = ({ scope }: VictimsReport): boolean => scope === 'no_data';

/** POST /victims: JSON, or CSV with one row for each loss if the request accepts only `text/csv`. */
export const createVictimsHandler = ({
  chains,
  chargeCall,
  arePricesPending,
  backfills,
  askForWallet,
  waitForWalletsMs,
  ...ports
}: VictimsRouteDependencies): ApiMiddleware => {
  const schema = createVictimsSchema(chains, ports.clock);
  const ask = askInTime(askForWallet);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    const answer = await chargeCall({ caller, tariff: 'victims' }, async () => {
      const { chain, address } = request;
      const { answer: report, beingRead } = await readMissing({
        ...{ chain: chain.name, backfills, signal, budgetMs: waitForWalletsMs },
        answer: (leftMs) =>
          findVictims(request, { ...ports, signal, budgetMs: Math.min(leftMs, TIME_BUDGET_MS) }),
        missing: (report, known) =>
          isNothingKnown(report) && known.lastBackfill(chain.name, address) === null ? [address] : [],
        ask: (wallet, known) => ask(chain.name, wallet, askerOf(ctx.state, isNothingKnown(known))),
      });
      const free = isNothingKnown(report) ? 'no_data' : null;
      const isBeingRead = beingRead.length > 0;
      const { span } = report;
      const isWhole =
        (span !== null && span.fromUnixSeconds <= request.fromUnixSeconds) ||
        walletHistory({ chain, wallet: address }, span, backfills()) === 'whole';
      return { answer: presentVictims(report, { isBeingRead, isWhole, arePricesPending }), free };
    });
    if (ctx.accepts('application/json', 'text/csv') === 'text/csv') {
      ctx.type = 'text/csv; charset=utf-8';
      ctx.body = writeCsv(toLossRows(answer), { columns: LOSS_COLUMNS, lineEnd: '\r\n' });
    } else ctx.body = answer;
  };
};
