import { sumOf, toWholeUnits } from '../../model/amount.ts';
import { toCanonicalAsset } from '../../model/asset.ts';
import type { Moment } from '../../model/price-reader.ts';
import {
  ReadFailedError,
  type TransactionPosition,
  type TransactionRow,
  transactionKey,
} from '../../model/transfer-reader.ts';
import { unlessLeftOut } from '../../session/left-out.ts';
import { directionOf } from '../direction.ts';
import type { FollowReads } from '../follow-reader.ts';
import type { Inflow } from '../payments/inflow.ts';
import { largestPositions } from '../positions/position.ts';
import { readPrices } from '../read-assets.ts';
import {
  type Branch,
  branchesOf,
  type Came,
  type Carried,
  type FoundBranch,
  type FoundEnd,
  type FoundHop,
  type FoundTrail,
  type ShownHop,
  type ShownPosition,
  type Trail,
  type TrailEnd,
} from '../trail.ts';
import { addCaveats, type Caveat, isLimit, readInPart, type SwapOutput } from '../why.ts';
import {
  chosenHops,
  createPickNamed,
  type Details,
  type DetailsReader,
  pickCarriers,
} from './read-details.ts';
import { reachedLast, traceAmounts, tracedOf, traceEnd } from './trace-amounts.ts';

/**
 * Names the transactions of a trail by their hashes and says what they were worth. Throws `ReadFailedError` where hashes cannot be
 * read, `BudgetSpentError` where it took too long.
 */
export const attachDetails = async (
  found: FoundTrail,
  details: DetailsReader,
  reads: FollowReads,
): Promise<Trail> => {
  const come = await details.finish(found, reads);
  const chosen = chosenHops(found);
  if (!chosen.every((hop) => isCarried(found, hop, come))) return refuseUnknown();
  const cuts = [...found.cuts, ...chosen.flatMap((hop) => hop.cuts)].map(readInPart);
  const unread = chosen.filter((hop) =>
    pickCarriers(hop).some((at) => come.carriers.unread.has(transactionKey(at))),
  );
  const sales = unread.map(({ from, to }) => ({ type: 'sale_unread', from, to }) as const);
  const end = addCaveats(found.end, [...cuts, ...sales]);
  const whole = { ...found, end, isComplete: found.isComplete && !end.caveats.some(isLimit) };
  return withDetails(whole, come, await weighOutputs(whole, reads));
};

/** Whether the transactions at these positions are still the same. A reorganisation may have replaced them. */
const isCarried = (
  { asset, backward }: FoundTrail,
  hop: FoundHop,
  { carriers }: Pick<Details, 'carriers'>,
): boolean => {
  const payers = new Set([hop.from, ...hop.through.map(({ address }) => address)]);
  const { payerOf, payeeOf } = directionOf(backward);
  const isOfHop = (row: TransactionRow): boolean =>
    row.canonicalAsset === asset.canonicalAsset && payeeOf(row) === hop.to && payers.has(payerOf(row));
  return pickCarriers(hop).every(({ amountRaw, ...position }) => {
    const rows = carriers.rows.get(transactionKey(position));
    return (
      rows === undefined ||
      sumOf(rows.filter((row) => row.blockTime === position.blockTime && isOfHop(row))) >= amountRaw
    );
  });
};

const withDetails = (
  { sold: _, cuts: __, ...found }: FoundTrail,
  { hashes, prices }: Details,
  weighed: WeighOutput,
): Trail => {
  const sign: Sign = (position) => hashes.get(transactionKey(position)) ?? refuseUnknown();
  const show = (inflow: Inflow, amountRaw: bigint) => {
    const price = prices.get(inflow.blockTime) ?? null;
    const usd = price && price.usd * toWholeUnits(amountRaw, found.asset.decimals);
    return { signature: sign(inflow), usd, usdSource: price?.source ?? null };
  };
  const showBranch = ({ mainTransfer, ...branch }: FoundBranch, tracedRaw: bigint): Branch => ({
    ...branch,
    ...show(mainTransfer, branch.amountRaw),
    tracedRaw,
    output: branch.output && weighed(branch.output, branch.sinceUnixSeconds),
  });
  const namedOf = createPickNamed(found.hops.length);
  const hops = traceAmounts(found.came, found.hops).map(({ hop: traced, came, tracedRaw }): ShownHop => {
    const { mainTransfer, ...hop } = traced;
    const transactions = namedOf(hop).map(({ amountRaw, ...place }) => ({
      ...{ signature: sign(place), amountRaw, timeUnixSeconds: place.blockTime },
    }));
    transactions.sort((a, b) => inTrailOrder(found, a, b));
    const shown = show(mainTransfer, tracedRaw);
    const others = hop.others.map((branch) =>
      showBranch(branch, tracedOf(came, { amountRaw: branch.amountRaw, takenRaw: tracedRaw })),
    );
    const positions = largestPositions(hop.positions).map(({ receipt, deposit, back }): ShownPosition => {
      const { amountRaw, blockTime: timeUnixSeconds } = back;
      return { receipt, signatures: [sign(deposit), sign(back)], amountRaw, timeUnixSeconds };
    });
    return { ...hop, ...shown, tracedRaw, transactions, positions, others };
  });
  const { end } = found;
  const reached = reachedLast({ came: found.came, hops });
  const traceBranch = traceEnd(reached, end);
  const branches = branchesOf(end).map((branch) => showBranch(branch, traceBranch(branch.amountRaw)));
  const shown = showEnd(end, branches, { sign, weighed });
  return { ...found, hops, end: addCaveats(shown, ownMoney(reached)) };
};

/** The worth of a swap's output at a unix second. */
type WeighOutput = <Output extends SwapOutput>(output: Output, timeUnixSeconds: number) => Output;

/** One question for all prices. If they cannot be read in time, the trail has none. */
const weighOutputs = async ({ chain, hops, end }: FoundTrail, reads: FollowReads): Promise<WeighOutput> => {
  const ends =
    end.reason === 'dex_swap' ? [{ output: end.output, sinceUnixSeconds: end.timeUnixSeconds }] : [];
  const branches = [...hops.flatMap(({ others }) => others), ...branchesOf(end)];
  const toMoment = ({ asset }: SwapOutput, timeUnixSeconds: number): Moment => ({
    canonicalAsset: toCanonicalAsset(chain, asset),
    timeUnixSeconds,
  });
  const moments = [...ends, ...branches].flatMap(({ output, sinceUnixSeconds }) =>
    output === null ? [] : [toMoment(output, sinceUnixSeconds)],
  );
  const priceOf = await unlessLeftOut(readPrices(chain, moments, reads), () => null);
  return (output, timeUnixSeconds) => {
    const { amountRaw, decimals } = output;
    const price = priceOf(toMoment(output, timeUnixSeconds));
    return price === null || amountRaw === null
      ? output
      : { ...output, usd: price.usd * toWholeUnits(amountRaw, decimals) };
  };
};

const ownMoney = (reached: Came | null): readonly Caveat[] =>
  reached === null || reached.tracedRaw === reached.arrivedRaw ? [] : [{ type: 'own_money', ...reached }];

type Sign = (position: TransactionPosition) => string;

const showEnd = (
  end: FoundEnd,
  branches: readonly Branch[],
  { sign, weighed }: { readonly sign: Sign; readonly weighed: WeighOutput },
): TrailEnd => {
  if (end.reason === 'split') return { ...end, branches };
  if (end.reason === 'dex_swap') {
    const { mainTransfer, ...swap } = end;
    const output = end.output && weighed(end.output, end.timeUnixSeconds);
    return { ...swap, output, signature: sign(mainTransfer), others: branches };
  }
  return end.reason === 'at_rest' || end.reason === 'no_data' ? { ...end, others: branches } : end;
};

const refuseUnknown = (): never => {
  // Its tables are being rebuilt or its block was just retracted: the next request finds another trail.
  throw new ReadFailedError('unavailable');
};

/**
 * In order of time, against it where money is followed back. Transactions of one block are ordered by amount and hash: their
 * order in the block is not known where a wallet's history was read by itself.
 */
const inTrailOrder = ({ backward }: Pick<FoundTrail, 'backward'>, a: Carried, b: Carried): number =>
  (backward ? -1 : 1) * (a.timeUnixSeconds - b.timeUnixSeconds) ||
  Number(b.amountRaw > a.amountRaw) - Number(b.amountRaw < a.amountRaw) ||
  (a.signature < b.signature ? -1 : 1);
