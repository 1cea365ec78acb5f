import type { Backfills } from '../../investigate/model/backfills.ts';
import { findVictims } from '../../investigate/victims/find-victims.ts';
import type { VictimsDependencies } from '../../investigate/victims/victims-reader.ts';
import { writeCsv } from '../../platform/write-csv.ts';
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { LOSS_COLUMNS, toLossRows } from './loss-rows.ts';
import { presentVictims } from './presenter.ts';
import { createVictimsSchema } from './schema.ts';

export type VictimsRouteDependencies = Omit<VictimsDependencies, 'signal'> & {
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
};

/** POST /victims: JSON, or CSV with one row for each loss if the request accepts only `text/csv`. */
export const createVictimsHandler = ({
  chains,
  chargeCall,
  arePricesPending,
  backfills,
  askForWallet,
  ...ports
}: VictimsRouteDependencies): ApiMiddleware => {
  const schema = createVictimsSchema(chains, ports.clock);
  const ask = askInTime(askForWallet);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    const answer = await chargeCall({ caller, tariff: 'victims' }, async () => {
      const report = await findVictims(request, { ...ports, signal });
      const isUnread =
        report.scope === 'no_data' && backfills().lastBackfill(request.chain.name, request.address) === null;
      const free = report.scope === 'no_data' ? 'no_data' : null;
      const asker = askerOf(ctx.state, free !== null);
      const isBeingRead = isUnread && (await ask(request.chain.name, request.address, asker));
      return { answer: presentVictims(report, { isBeingRead, arePricesPending }), free };
    });
    if (ctx.accepts('application/json', 'text/csv') === 'text/csv') {
      ctx.type = 'text/csv; charset=utf-8';
      ctx.body = writeCsv(toLossRows(answer), { columns: LOSS_COLUMNS, lineEnd: '\r\n' });
    } else ctx.body = answer;
  };
};
