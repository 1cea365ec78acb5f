import type { Payment } from '../model/case-reader.ts';
import { NATIVE } from '../model/movement.ts';
import { type ContiguousRange, transactionKey } from '../model/transfer-reader.ts';
import { type Values, valueAmounts } from '../model/value-amounts.ts';
import { openPorts } from '../session/kinds/port-kinds.ts';
import { refuseWithoutAnswer } from '../session/left-out.ts';
import { buildReport } from './build-report.ts';
import { describeUnread } from './describe-unread.ts';
import { dropOwnTokens } from './drop-own-tokens.ts';
import { findCoinDustBelow, findCoinUsd, findDustBelow } from './find-dust.ts';
import { judgeTaking } from './judge-taking.ts';
import { listRevocable } from './list-revocable.ts';
import { type AllowedGrants, readAllowed } from './read-allowed.ts';
import { assetOfGrant, readGrants } from './read-grants.ts';
import { readParties } from './read-parties.ts';
import { readTakings } from './read-takings.ts';
import { GRANTS_MAX, PAYMENTS_MAX, READ_TIMEOUT_MS, TIME_BUDGET_MS } from './rules.ts';
import { byPayer, settleLosses } from './settle-losses.ts';
import type { VictimsDependencies, VictimsReads } from './victims-reader.ts';
import type { VictimsReport, VictimsRequest } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/**
 * Finds who lost what to an address, in which transaction and by which method, and who paid it without being
 * a victim. Throws `ReadFailedError` when the tables cannot be read.
 */
export const findVictims = async (
  request: VictimsRequest,
  { clock, signal, budgetMs = TIME_BUDGET_MS, ...readers }: VictimsDependencies,
): Promise<VictimsReport> => {
  const { tokens, cases, funders, controls, reader, prices, assets } = readers;
  const budget = { ms: budgetMs, readMs: READ_TIMEOUT_MS };
  const ports = { tokens, cases, funders, controls, reader, prices, assets };
  const reads = openPorts(ports, { clock, signal, budget });
  return report(request, reads).catch(refuseWithoutAnswer);
};

const report = async (request: VictimsRequest, reads: VictimsReads): Promise<VictimsReport> => {
  const { reader, funders, session } = reads;
  const { chain, address: wallet } = request;
  const own = await readGrants(request, wallet, reads);
  const [read, [span = null], [isKnown = false], [underivedFrom = null]] = await Promise.all([
    readTakings(request, reads, own),
    reader.contiguousRange({}, [chain.name]),
    reader.isKnown({ chain: chain.name }, [wallet]),
    funders.underivedFrom({}, [chain.name]),
  ]);
  const takings = await dropOwnTokens(request, read.takings, reads);
  const parties = await readParties(request, takings, reads);
  const [allowed, paidEach, control] = await Promise.all([
    readAllowed(request, { takings, own, parties }, reads),
    readPayments(request, takings, reads),
    readControlSpan(request, reads),
  ]);
  const payments = paidEach.flat();
  const values = await valueAmounts(
    chain,
    [...takings, ...takings.flatMap(gainsOf), ...payments, ...grantedOf(request, allowed)],
    reads,
  );
  const together = Map.groupBy(takings, (taking) => `${taking.payer} ${transactionKey(taking)}`);
  const dustBelowUsd = findDustBelow(takings.map(worthOf(values)));
  const coinUsd = findCoinUsd(takings, values);
  const coins = takings.filter(
    ({ canonicalAsset, gains }) => canonicalAsset === NATIVE && gains.length === 0,
  );
  const coinDustBelowRaw = findCoinDustBelow(
    chain,
    coins.map(({ lostRaw }) => lostRaw),
  );
  const judging = { request, parties, values, dustBelowUsd, coinUsd, coinDustBelowRaw, allowed };
  const judged = takings.map((taking) =>
    judgeTaking(taking, together.get(`${taking.payer} ${transactionKey(taking)}`) ?? [], judging),
  );
  const paid = Map.groupBy(payments, ({ to }) => to);
  const rulings = [...byPayer(judged)].flatMap(([payer, losses]) =>
    settleLosses(losses, paid.get(payer) ?? [], { chain, values }),
  );
  const told = { request, rulings, values, span, grants: allowed.grants, labels: parties.labels };
  const open = await listRevocable(told, reads);
  if (paidEach.some((of) => of.length >= PAYMENTS_MAX)) session.leaveOut('payments', PAYMENTS_CUT);
  if ([own, ...allowed.grants].some(({ isCut }) => isCut)) session.leaveOut('grants', GRANTS_CUT);
  const missing = (...parts: readonly string[]): readonly string[] =>
    parts.flatMap((part) => [...(session.cut.get(part) ?? [])]);
  const gaps = [
    ...describeNotDerived(takings, underivedFrom),
    ...describeUnread({ ...control, rulings, parties, revocable: open.revocable, span }),
    ...missing('transactions'),
    ...control.gaps,
    ...missing('payments', 'open grants'),
    ...open.gaps,
    ...missing('tokens', 'spenders', 'programs', 'markets', 'accounts with code', 'code', 'grants'),
  ];
  const hasGrants = own.events.length > 0;
  return buildReport({
    request,
    rulings,
    parties,
    values,
    span,
    revocable: open.revocable,
    gaps,
    transactionsRead: read.transactionsRead,
    isKnown: isKnown || hasGrants,
  });
};

/** Recipients of gains are traders; their amounts do not describe payments to the address. */
const worthOf =
  (values: Values) =>
  (taking: Taking): number | null =>
    taking.gains.length > 0 ? null : values.usdOf({ ...taking, amountRaw: taking.lostRaw });

const gainsOf = ({ gains, blockTime }: Taking) => gains.map((gain) => ({ ...gain, blockTime }));

/**
 * Lists the assets of grants so that their symbols are read. Amount and time do not matter, because grants
 * need no price.
 */
const grantedOf = ({ chain, fromUnixSeconds }: VictimsRequest, { grants }: AllowedGrants) =>
  grants
    .flatMap(({ events }) => events.flatMap((event) => assetOfGrant(chain, event) ?? []))
    .map((canonicalAsset) => ({ canonicalAsset, blockTime: fromUnixSeconds }));

/** The subject's own wallets, services' wallets and poisoned payments are found from derived facts. */
const describeNotDerived = (takings: readonly Taking[], underivedFrom: number | null): string[] =>
  underivedFrom !== null && takings.some(({ blockNumber }) => blockNumber >= underivedFrom)
    ? [
        `Blocks from ${underivedFrom} on are indexed, but nothing is derived from them yet: who funded whom and look-alikes may be missing. Ask again in a few minutes.`,
      ]
    : [];

/** `gaps` are set when approvals and authorities are kept only from a time later than the one asked for. */
const readControlSpan = async (
  { chain, fromUnixSeconds }: VictimsRequest,
  { controls, reader }: VictimsReads,
): Promise<{ readonly controlSpan: ContiguousRange | null; readonly gaps: readonly string[] }> => {
  const [[kept = null], [indexed = null]] = await Promise.all([
    controls.controlSpan({}, [chain.name]),
    reader.contiguousRange({}, [chain.name]),
  ]);
  const say = (...gaps: readonly string[]) => ({ controlSpan: kept, gaps });
  if (indexed === null) return say();
  if (kept === null)
    return say('Approvals and authorities are not kept for this chain: `revocable` may lack some.');
  const since = Math.max(fromUnixSeconds, indexed.fromUnixSeconds);
  if (kept.fromUnixSeconds <= since) return say();
  return say(
    `Approvals and authorities are kept since ${new Date(kept.fromUnixSeconds * 1_000).toISOString()}: \`revocable\` may lack older ones.`,
  );
};

/** Grants beyond the limit were not read, nor withdrawals of the grants that were. */
const GRANTS_CUT = `Only the first ${GRANTS_MAX} grants to one address were read: \`revocable\` may lack some, or include some that were withdrawn.`;
const PAYMENTS_CUT = `Only the first ${PAYMENTS_MAX} payments to each address were read: some of the victims may have been paid, or paid back.`;

/** Payments to addresses that the subject may have refunded or paid. */
const readPayments = async (
  { chain, address: wallet }: VictimsRequest,
  takings: readonly Taking[],
  { cases }: VictimsReads,
): Promise<readonly (readonly Payment[])[]> => {
  const to = [...new Set(takings.map(({ payer }) => payer))];
  return cases.payments({ chain: chain.name, wallet, limit: PAYMENTS_MAX }, to);
};
