import { analyze } from '../../investigate/analyze/analyze.ts';
import type { Profile } from '../../investigate/analyze/profile.ts';
import { COUNTED_TRANSACTIONS_MAX, TIME_BUDGET_MS } from '../../investigate/analyze/rules.ts';
import type { AssetReader } from '../../investigate/model/asset-reader.ts';
import type { Backfills } from '../../investigate/model/backfills.ts';
import type { ControlReader } from '../../investigate/model/control-reader.ts';
import type { HoldingReader } from '../../investigate/model/holding-reader.ts';
import type { PriceReader } from '../../investigate/model/price-reader.ts';
import type { ProfileReader } from '../../investigate/model/profile-reader.ts';
import type { TokenReader } from '../../investigate/model/token-reader.ts';
import type { Clock } from '../../platform/clock.ts';
import { wholeHistory } from '../asking/ask-in-time.ts';
import type { RunQuestion } from '../asking/run-question.ts';
import type { ApiMiddleware } from '../context.ts';
import { admit } from '../paid/caller.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { createCountTransactions } from './count-transactions.ts';
import { presentProfile } from './presenter.ts';
import { createAnalyzeSchema } from './schema.ts';

export type AnalyzeRouteDependencies = {
  readonly profileReader: ProfileReader;
  readonly control: ControlReader;
  readonly tokens: TokenReader;
  readonly prices: PriceReader;
  readonly assets: AssetReader;
  /** Nodes of the chains; without it no node is asked. */
  readonly holdings?: HoldingReader;
  readonly clock: Clock;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly runQuestion: RunQuestion;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
};

/** Only labels are known, so the analysis is free. */
const isLabelsOnly = ({ meta }: Profile): boolean => meta.scope === 'database';

/** POST /analyze. */
export const createAnalyzeHandler = ({
  profileReader: reader,
  chains,
  runQuestion,
  arePricesPending,
  backfills,
  ...ports
}: AnalyzeRouteDependencies): ApiMiddleware => {
  const schema = createAnalyzeSchema(chains);
  const countTransactions = createCountTransactions(reader);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    // A caller without access causes no question.
    const count = await countTransactions(request, admit(caller), signal);
    const tariff = count < COUNTED_TRANSACTIONS_MAX ? 'analyze' : 'analyze_large';
    const { chain, address } = request;
    ctx.body = await runQuestion(ctx, {
      ...{ tariff, chain, budgetMs: request.budgetMs },
      answer: (leftMs) => {
        const budgetMs = Math.min(leftMs, TIME_BUDGET_MS);
        return analyze(request, { ...ports, reader, backfills: backfills(), signal, budgetMs });
      },
      missing: ({ history }, known) =>
        history === 'unread' && known.lastBackfill(chain.name, address) === null
          ? [wholeHistory(address)]
          : [],
      free: (profile) => (isLabelsOnly(profile) ? 'labels_only' : null),
      addresses: () => [address],
      present: (profile, { beingRead, isCharged }) =>
        presentProfile(profile, {
          ...{ isBeingRead: beingRead.length > 0, charged: isCharged ? tariff : null },
          arePricesPending,
        }),
    });
  };
};
