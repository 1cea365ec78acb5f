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
import { type AskForWallet, askerOf, askInTime } from '../ask-in-time.ts';
import type { ApiMiddleware } from '../context.ts';
import { admit } from '../paid/caller.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { readMissing } from '../read-missing.ts';
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
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
  /** Read at each call. */
  readonly backfills: () => Backfills;
  readonly askForWallet: AskForWallet;
  /** How long a call may take that has its wallet read; 0: it does not wait. */
  readonly waitForWalletsMs: number;
};

/** Only labels are known, so the analysis is free. */
const isLabelsOnly = ({ meta }: Profile): boolean => meta.scope === 'database';

/** POST /analyze. */
export const createAnalyzeHandler = ({
  profileReader: reader,
  chains,
  chargeCall,
  arePricesPending,
  backfills,
  askForWallet,
  waitForWalletsMs,
  ...ports
}: AnalyzeRouteDependencies): ApiMiddleware => {
  const schema = createAnalyzeSchema(chains);
  const ask = askInTime(askForWallet);
  const countTransactions = createCountTransactions(reader);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    // A caller without access causes no question.
    const count = await countTransactions(request, admit(caller), signal);
    const tariff = count < COUNTED_TRANSACTIONS_MAX ? 'analyze' : 'analyze_large';
    ctx.body = await chargeCall({ caller, tariff }, async () => {
      const { chain, address } = request;
      const { answer: profile, beingRead } = await readMissing({
        ...{ chain: chain.name, backfills, signal, budgetMs: waitForWalletsMs },
        answer: (leftMs) => {
          const budgetMs = Math.min(leftMs, TIME_BUDGET_MS);
          return analyze(request, { ...ports, reader, backfills: backfills(), signal, budgetMs });
        },
        missing: ({ history }, known) =>
          history === 'unread' && known.lastBackfill(chain.name, address) === null ? [address] : [],
        ask: (wallet, known) => ask(chain.name, wallet, askerOf(ctx.state, isLabelsOnly(known))),
      });
      const free = isLabelsOnly(profile) ? 'labels_only' : null;
      const isBeingRead = beingRead.length > 0;
      const charged = free === null ? tariff : null;
      const answer = presentProfile(profile, { isBeingRead, charged, arePricesPending });
      return { answer, free };
    });
  };
};
