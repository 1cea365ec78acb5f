import type { TraceReader } from '../../investigate/model/trace-reader.ts';
import {
  type FindTransactionDependencies,
  findTransaction,
} from '../../investigate/transaction/find-transaction.ts';
import type { ApiMiddleware } from '../context.ts';
import type { ChargeCall } from '../paid/charge-call.ts';
import type { ArePricesPending } from '../present-basis.ts';
import { validate } from '../validate.ts';
import { presentTransaction } from './presenter.ts';
import { createTxSchema } from './schema.ts';

export type TxRouteDependencies = Omit<FindTransactionDependencies, 'signal' | 'reader'> & {
  readonly traceReader: TraceReader;
  /** Chains that requests may name. */
  readonly chains: readonly string[];
  readonly chargeCall: ChargeCall;
  readonly arePricesPending: ArePricesPending;
};

/** POST /tx. */
export const createTxHandler = ({
  traceReader: reader,
  chains,
  chargeCall,
  arePricesPending,
  ...ports
}: TxRouteDependencies): ApiMiddleware => {
  const schema = createTxSchema(chains);
  return async (ctx) => {
    const request = validate(schema, ctx.state.body);
    const { caller, signal } = ctx.state;
    ctx.body = await chargeCall({ caller, tariff: 'analyze' }, async () => {
      const found = await findTransaction(request, { ...ports, reader, signal });
      const answer = presentTransaction(found, { arePricesPending });
      return { answer, free: found.isKnown ? null : 'no_data' };
    });
  };
};
