import type { Address } from '../../investigate/model/address.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import { walletHistory } from '../../investigate/model/history-coverage.ts';
import { findVictims } from '../../investigate/victims/find-victims.ts';
import { TIME_BUDGET_MS } from '../../investigate/victims/rules.ts';
import type { VictimsDependencies } from '../../investigate/victims/victims-reader.ts';
import type { VictimsReport } from '../../investigate/victims/victims-report.ts';
import { writeCsv } from '../../platform/write-csv.ts';
import { wholeHistory } from '../asking/ask-in-time.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { LOSS_COLUMNS, toLossRows } from './loss-rows.ts';
import { presentVictims } from './presenter.ts';
import { createVictimsSchema } from './schema.ts';

export type VictimsRouteDependencies = Omit<VictimsDependencies, 'signal' | 'budgetMs'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** Who was robbed of an unlisted token has used it before, which only the payer's own history tells. Anybody can fake such logs. */
const PAYERS_READ_MAX = 40;
const ASKED_AT_ONCE_MAX = 8;

const isNothingKnown = ({ scope }: VictimsReport): boolean => scope === 'no_data';

/** POST /victims: JSON, or CSV with one row for each loss if the request accepts only `text/csv`. */
export const createVictimsHandler = ({
  chains,
  runQuestion,
  arePricesPending,
  backfills,
  ...ports
}: VictimsRouteDependencies): ApiMiddleware => {
  const schema = createVictimsSchema(chains, ports.clock);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { signal } = ctx.state;
    const { chain, address, budgetMs } = request;
    const answer = await runQuestion(ctx, {
      ...{ tariff: 'victims', chain, budgetMs },
      answer: (leftMs) =>
        findVictims(request, { ...ports, signal, budgetMs: Math.min(leftMs, TIME_BUDGET_MS) }),
      missing: ({ span, others }, known) => {
        if (span !== null && span.fromUnixSeconds <= request.fromUnixSeconds) return [];
        const isUnread = (wallet: Address) => walletHistory({ chain, wallet }, span, known) === 'unread';
        if (isUnread(address)) return [wholeHistory(address)];
        const unproven = others.filter(({ reason }) => reason === 'unproven_token').slice(0, PAYERS_READ_MAX);
        return unproven
          .map((payer) => payer.address)
          .filter(isUnread)
          .slice(0, ASKED_AT_ONCE_MAX)
          .map(wholeHistory);
      },
      free: (report) => (isNothingKnown(report) ? 'no_data' : null),
      addresses: () => [address],
      present: (report, { beingRead }) => {
        const { span } = report;
        const isWhole =
          (span !== null && span.fromUnixSeconds <= request.fromUnixSeconds) ||
          walletHistory({ chain, wallet: address }, span, backfills()) === 'whole';
        return presentVictims(report, { isBeingRead: beingRead.length > 0, isWhole, arePricesPending });
      },
    });
    if (ctx.accepts('application/json', 'text/csv') === 'text/csv') {
      ctx.type = 'text/csv; charset=utf-8';
      ctx.body = writeCsv(toLossRows(answer), { columns: LOSS_COLUMNS, lineEnd: '\r\n' });
    } else ctx.body = answer;
  };
};
