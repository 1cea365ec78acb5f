import { analyze } from '../../investigate/analyze/analyze.ts';
import type { Profile } from '../../investigate/analyze/profile.ts';
import { COUNTED_TRANSACTIONS_MAX } from '../../investigate/analyze/rules.ts';
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
      const known = backfills();
      const profile = await analyze(request, { ...ports, reader, backfills: known, signal });
      const { chain, address } = request;
      const isUnread = profile.history === 'unread' && known.lastBackfill(chain.name, address) === null;
      const free = isLabelsOnly(profile) ? 'labels_only' : null;
      const asker = askerOf(ctx.state, free !== null);
      const isBeingRead = isUnread && (await ask(chain.name, address, asker));
      const charged = free === null ? tariff : null;
      const answer = presentProfile(profile, { isBeingRead, charged, arePricesPending });
      return { answer, free };
    });
  };
};
