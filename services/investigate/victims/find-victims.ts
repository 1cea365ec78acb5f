import { type Budget, createBudget } from '../model/budget.ts';
import type { Payment } from '../model/case-reader.ts';
import { transactionKey } from '../model/transfer-reader.ts';
import { type Values, valueAmounts } from '../model/value-amounts.ts';
import { buildReport } from './build-report.ts';
import { findDustBelow } from './find-dust.ts';
import { judgeTaking } from './judge-taking.ts';
import { learnParties } from './learn-parties.ts';
import { readTakings } from './read-takings.ts';
import { PAYMENTS_MAX, READ_TIMEOUT_MS, TELLING_RESERVE_MS, TIME_BUDGET_MS } from './rules.ts';
import { byPayer, settleLosses } from './settle-losses.ts';
import type { VictimsDependencies } from './victims-reader.ts';
import type { VictimsReport, VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/**
 * Who lost what to an address, by which transaction and by which method, with who paid it and is no victim. Throws
 * `ReadFailedError` where the tables cannot be read.
 */
export const findVictims = async (
  request: VictimsRequest,
  dependencies: VictimsDependencies,
): Promise<VictimsReport> => {
  const { reader } = dependencies;
  const { chain, address: wallet } = request;
  const budget = createBudget({
    ...dependencies,
    budgetMs: TIME_BUDGET_MS,
    readTimeoutMs: READ_TIMEOUT_MS,
    reserveMs: TELLING_RESERVE_MS,
  });
  const limits = budget.limits();
  const [read, span, isKnown] = await Promise.all([
    readTakings(request, dependencies, budget),
    reader.unbrokenSpan({ chain: chain.name, ...limits }),
    reader.isKnown({ chain: chain.name, wallet, ...limits }),
  ]);
  const parties = await learnParties(request, read.takings, dependencies, budget);
  const payments = await readPayments(request, read.takings, dependencies, budget);
  const values = await valueAmounts(
    chain,
    [...read.takings, ...read.takings.flatMap(gainsOf), ...payments],
    dependencies,
    budget,
  );
  const together = Map.groupBy(read.takings, (taking) => `${taking.payer} ${transactionKey(taking)}`);
  const judging = {
    request,
    parties,
    values,
    dustBelowUsd: findDustBelow(read.takings.map(worthOf(values))),
  };
  const judged = read.takings.map((taking) =>
    judgeTaking(taking, together.get(`${taking.payer} ${transactionKey(taking)}`) ?? [], judging),
  );
  const paid = Map.groupBy(payments, ({ to }) => to);
  const rulings = [...byPayer(judged)].flatMap(([payer, own]) =>
    settleLosses(own, paid.get(payer) ?? [], values),
  );
  return buildReport({ request, rulings, parties, values, read, span, isKnown });
};

/** Who got something for it traded: that says nothing of what the address is paid. */
const worthOf =
  (values: Values) =>
  (taking: Taking): number | null =>
    taking.gains.length > 0 ? null : values.usdOf({ ...taking, amountRaw: taking.lostRaw });

const gainsOf = ({ gains, blockTime }: Taking) => gains.map((gain) => ({ ...gain, blockTime }));

/** To those whom it may have refunded, or paid. */
const readPayments = async (
  { chain, address: wallet }: VictimsRequest,
  takings: readonly Taking[],
  { cases }: VictimsDependencies,
  budget: Budget,
): Promise<readonly Payment[]> => {
  const to = [...new Set(takings.map(({ payer }) => payer))];
  if (to.length === 0) return [];
  return cases.payments({ chain: chain.name, wallet, to, limit: PAYMENTS_MAX, ...budget.limits() });
};
