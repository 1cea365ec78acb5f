import { describeSeenIn, isReadBefore, isTokenRead } from '../model/history-coverage.ts';
import { NATIVE } from '../model/movement.ts';
import { answersByKey } from '../model/query.ts';
import type { Holders } from '../model/token-reader.ts';
import { type TransactionPosition, transactionKey } from '../model/transfer-reader.ts';
import { valueAmounts } from '../model/value-amounts.ts';
import { openPorts } from '../session/kinds/port-kinds.ts';
import { refuseWithoutAnswer } from '../session/left-out.ts';
import { buildReport, emptyReport, reportCreator } from './build-report.ts';
import { findCreation } from './find-creation.ts';
import { findTies, type Tie } from './find-ties.ts';
import { gatherCandidates, withoutServices } from './gather-candidates.ts';
import type { InsidersDependencies, InsidersReads } from './insiders-reader.ts';
import type { InsidersReport, InsidersRequest } from './insiders-report.ts';
import { readFunding } from './read-funding.ts';
import { readLaunch } from './read-launch.ts';
import { HOLDERS_READ, HOLDERS_TIMEOUT_MS, READ_TIMEOUT_MS, TIME_BUDGET_MS, TRADES_MAX } from './rules.ts';

/**
 * Finds the early holders of a token that are tied to its creator or to each other. Throws `ReadFailedError`
 * when the tables cannot be read.
 */
export const findInsiders = async (
  request: InsidersRequest,
  { clock, signal, isReadSince, ...ports }: InsidersDependencies,
): Promise<InsidersReport> => {
  const budget = { ms: TIME_BUDGET_MS, readMs: READ_TIMEOUT_MS };
  const { tokens, cases, funders, controls, reader, prices, assets } = ports;
  const asked = { tokens, cases, funders, controls, reader, prices, assets };
  const reads = openPorts(asked, { clock, signal, budget });
  return report(request, reads, isReadSince).catch(refuseWithoutAnswer);
};

const report = async (
  request: InsidersRequest,
  reads: InsidersReads,
  isReadSince: InsidersDependencies['isReadSince'],
): Promise<InsidersReport> => {
  const { tokens, reader, funders } = reads;
  const { cut } = reads.session;
  const [chain, token] = [request.chain.name, request.token];
  const creation = await findCreation(request, reads);
  const [[seen], [span = null], [underivedFrom = null]] = await Promise.all([
    tokens.firstSeen({ chain }, [token]),
    reader.contiguousRange({}, [chain]),
    funders.underivedFrom({}, [chain]),
  ]);
  // Transactions of the last minute are not settled yet.
  const first = seen ?? creation;
  if (first === null || token === NATIVE)
    return emptyReport(request, span, describeNotDerived(underivedFrom));
  const isRead =
    isTokenRead(span, creation) || (creation !== null && isReadSince?.(creation.blockNumber, span));
  if (!isRead) return reportCreator(request, span, creation);
  const [launch, holders] = await Promise.all([
    readLaunch(request, first, reads),
    readHolders(request, first, reads),
  ]);
  if (launch === null) return emptyReport(request, span, []);
  const made = launch.transactions[0] ?? { ...launch.at, rows: [] };
  const creator = creation?.holder ?? made.sender;
  const end = launch.at.blockTime + request.windowSeconds;
  const newest = launch.transactions.findLast(({ blockTime }) => blockTime <= end) ?? first;
  const isLate = underivedFrom !== null && underivedFrom <= newest.blockNumber;
  const gathered = gatherCandidates(request, launch, holders, creator);
  const found = await readFunding(request, gathered, reads);
  const isFirst = (at: TransactionPosition): boolean => isReadBefore(span, at);
  const funding = { ...found, isFirst, isAllRead: span?.beginsChain === true };
  const isFirstKnown = funding.isAllRead || [...found.fundings.values()].every(isFirst);
  const gaps = [
    ...(cut.get('transactions') ?? []),
    ...(cut.get('later sales') ?? []),
    ...(cut.has('holders') ? [HOLDERS_UNREAD] : []),
    ...(isFirstKnown ? [] : [`Who sent a wallet its first coin is not known. ${describeSeenIn(span)}`]),
    ...(isLate ? describeNotDerived(underivedFrom) : []),
  ];
  const candidates = withoutServices(gathered, funding.labels);
  const ties = findTies(candidates, funding, { launch: launch.at, made: creation ?? made, token });
  const wallets = [...new Set(ties.map(({ wallet }) => wallet))];
  const [traded, balances, hashes] = await Promise.all([
    tokens.trades({ chain, token, limit: TRADES_MAX }, wallets),
    answersByKey(tokens.balance, { chain, canonicalAsset: token }, wallets),
    readHashes(request, ties, reads),
  ]);
  const trades = traded.flat();
  const paid = trades.map(({ otherAsset, otherRaw, blockTime }) => ({
    canonicalAsset: otherAsset,
    amountRaw: otherRaw,
    blockTime,
  }));
  const held = { canonicalAsset: token, amountRaw: 0n, blockTime: launch.at.blockTime };
  const values = await valueAmounts(request.chain, [held, ...paid], reads);
  return buildReport({
    request,
    launch,
    gaps,
    holders,
    candidates,
    funding,
    ties,
    trades,
    balances,
    hashes,
    values,
    span,
  });
};

const HOLDERS_UNREAD =
  'The token has too many holders to count in time: supply, shares and top holders are left out.';

const readHolders = async (
  { chain, token }: InsidersRequest,
  { blockNumber: fromBlock }: TransactionPosition,
  { within, session }: InsidersReads,
): Promise<Holders | null> => {
  const { tokens } = within(HOLDERS_TIMEOUT_MS);
  const common = { chain: chain.name, limit: HOLDERS_READ };
  const read = await session.attempt('holders', () => tokens.holders(common, [{ token, fromBlock }]));
  return read?.[0] ?? null;
};

const describeNotDerived = (underivedFrom: number | null): string[] =>
  underivedFrom === null
    ? []
    : [
        `Blocks from ${underivedFrom} on are indexed, but nothing is derived from them yet: tokens and who funded whom may be missing. Ask again in a few minutes.`,
      ];

/** By position, the hash of every transaction that is evidence. */
const readHashes = async (
  { chain }: InsidersRequest,
  ties: readonly Tie[],
  { reader }: InsidersReads,
): Promise<ReadonlyMap<string, string>> => {
  const positions = [
    ...new Map(ties.flatMap((tie) => tie.positions).map((at) => [transactionKey(at), at])).values(),
  ].map(({ blockTime, blockNumber, txIndex }) => ({ blockTime, blockNumber, txIndex }));
  const hashes = await reader.transactionHashes({ chain: chain.name }, positions);
  return new Map(
    positions.flatMap((at, index) => {
      const hash = hashes[index] ?? null;
      return hash === null ? [] : [[transactionKey(at), hash] as const];
    }),
  );
};
