import type { Address } from '../../model/address.ts';
import { fromWholeUnits } from '../../model/amount.ts';
import { isStablecoin, stablecoinsOf } from '../../model/asset.ts';
import { NATIVE } from '../../model/movement.ts';
import type { TransactionRead } from '../../model/trace-reader.ts';
import type { TransactionPosition, TransactionRow } from '../../model/transfer-reader.ts';
import { wholeUnits } from '../amounts.ts';
import { isDust } from '../dust.ts';
import type { QueryContext } from '../query-context.ts';
import { PAID_ROWS_MAX, TRANSACTION_ROWS_MAX } from '../rules.ts';
import {
  type Anchor,
  type Holding,
  type LeftOut,
  TraceRefusedError,
  type TraceRequest,
} from '../trace-answer.ts';
import { correct } from './correct-request.ts';
import { findPassed, isSome, type Passed } from './find-passed.ts';

/**
 * The anchor. When its transaction is indexed, also its position, all its rows, and the rows that brought the
 * value to its payee. `isComplete` is false when the transaction has more rows than are read, so that more
 * may have moved. `leftOut`: value that moved, or that the request states, but is not traced.
 */
export type FoundAnchor = Anchor & {
  readonly position: TransactionPosition | null;
  readonly rows: readonly TransactionRow[];
  readonly passed: readonly TransactionRow[];
  readonly isComplete: boolean;
  readonly leftOut: readonly LeftOut[];
};

/**
 * Looks the transfer up by its transaction. The chain overrides the request. A request that contradicts it
 * (wallet, counterparty, direction) is refused with `anchor_contradicted`, and a transfer of neither the coin
 * nor a stablecoin with `nothing_to_trace`. For a transaction that is not indexed, or whose rows are cut off
 * before the transfer, the request is believed.
 */
export const findAnchor = async (request: TraceRequest, context: QueryContext): Promise<FoundAnchor> => {
  const { signature } = request;
  const read = await readTransaction(signature, context);
  const asTold = async (): Promise<FoundAnchor> => {
    requireAll(request);
    return believe(request, await isMostlyDollars(request, request, context));
  };
  if (read === null) return asTold();
  const { rows, isComplete } = read;
  const [payer, payee] = endsOf(request);
  const passed = findPassed(rows, { payer, payee });
  if (!isSome(passed) && !isComplete) return { ...(await asTold()), isComplete };
  if (!isSome(passed)) throw contradictionOf(request, rows);
  const [{ blockTime, blockNumber, txIndex }] = passed[0].rows;
  // Early Solana blocks have no time of their own.
  if (blockTime === 0 && request.missing.includes('time')) throw notIndexed(['time']);
  const timeUnixSeconds = blockTime === 0 ? request.timeUnixSeconds : blockTime;
  const { moved, leftOut } = await chooseMoved({ ...request, timeUnixSeconds }, passed, context);
  const position = { blockTime: timeUnixSeconds, blockNumber, txIndex };
  return {
    signature,
    timeUnixSeconds,
    moved: [moved],
    verified: true,
    corrections: correct(request, { timeUnixSeconds, passed }),
    position,
    rows,
    isComplete,
    leftOut,
    passed: passed.flatMap((of) => of.rows),
  };
};

/**
 * Reads all rows of the transaction. When there are more than one query reads, reads only those of the coin
 * and stablecoins. Otherwise a sender could hide a transfer behind rows of a token of his own.
 */
const readTransaction = async (
  signature: string,
  { reads, onChain, canonicalAssets }: QueryContext,
): Promise<TransactionRead | null> => {
  const [read = null] = await reads.transaction({ ...onChain, limit: TRANSACTION_ROWS_MAX }, [signature]);
  if (read === null || read.isComplete) return read;
  const ofThem = { ...onChain, canonicalAssets, limit: PAID_ROWS_MAX };
  const [paid = null] = await reads.transaction(ofThem, [signature]);
  const others = read.rows.filter(({ canonicalAsset }) => !canonicalAssets.includes(canonicalAsset));
  return { rows: [...(paid?.rows ?? []), ...others], isComplete: paid?.isComplete ?? true };
};

/**
 * The anchor as the request states it: its dollars, or its coin. Throws `nothing_to_trace` when that is less
 * than one unit.
 */
export const believe = (request: TraceRequest, ofDollars: boolean): FoundAnchor => {
  const { chain, coin, usd, signature, timeUnixSeconds } = request;
  const told = [
    [{ canonicalAsset: NATIVE, amountRaw: fromWholeUnits(coin, chain.native.decimals) }],
    stablecoinsOf(chain).map(({ asset, decimals }) => ({
      canonicalAsset: asset,
      amountRaw: fromWholeUnits(usd, decimals),
    })),
  ].map((holdings) => holdings.filter(({ amountRaw }) => amountRaw > 0n));
  const [coins = [], dollars = []] = told;
  const [first, second] = ofDollars ? [dollars, coins] : [coins, dollars];
  const [moved, leftOut] = first.length > 0 ? [first, second.slice(0, 1)] : [second, []];
  if (moved.length === 0) throw nothingToTrace(request, 'sol');
  return {
    signature,
    timeUnixSeconds,
    moved,
    leftOut,
    verified: false,
    isComplete: true,
    corrections: [],
    position: null,
    rows: [],
    passed: [],
  };
};

type Worth = { readonly coin: number; readonly usd: number };

/**
 * Whether the dollars were worth more than the coin at that time. Without a price the coin counts as worth
 * more.
 */
const isMostlyDollars = async (
  { chain, timeUnixSeconds }: TraceRequest,
  { coin, usd }: Worth,
  { reads }: QueryContext,
): Promise<boolean> => {
  if (coin === 0 || usd === 0) return coin === 0;
  const [price = null] = await reads.prices({ chain }, [{ canonicalAsset: NATIVE, timeUnixSeconds }]);
  return price !== null && usd > coin * price.usd;
};

const nothingToTrace = ({ chain }: TraceRequest, field: string): TraceRefusedError =>
  new TraceRefusedError(
    'nothing_to_trace',
    field,
    `The transfer moved no ${chain.native.symbol} or stablecoin to trace.`,
  );

/** Throws `nothing_to_trace` when the request itself says that neither moved. */
export const requireAmount = (request: TraceRequest): void => {
  const isOpen = request.missing.includes('sol') || request.missing.includes('usd');
  if (!isOpen && request.coin === 0 && request.usd === 0) throw nothingToTrace(request, 'sol');
};

/** Only the request can state it. */
const requireAll = ({ missing }: TraceRequest): void => {
  if (missing.length > 0) throw notIndexed(missing);
};

const notIndexed = (missing: TraceRequest['missing']): TraceRefusedError =>
  new TraceRefusedError(
    'anchor_not_indexed',
    missing[0] ?? 'time',
    `The transaction is not indexed here, so the request has to say ${missing.join(', ')}.`,
  );

const endsOf = ({ wallet, counterparty, direction }: TraceRequest): readonly [Address, Address] =>
  direction === 'out' ? [wallet, counterparty] : [counterparty, wallet];

/** How the rows, in which nothing moved between the two, contradict the request. */
const contradictionOf = (request: TraceRequest, rows: readonly TransactionRow[]): TraceRefusedError => {
  const [payer, payee] = endsOf(request);
  const names = (address: string) => rows.some(({ from, to }) => from === address || to === address);
  if (isSome(findPassed(rows, { payer: payee, payee: payer }))) {
    const said = request.direction === 'out' ? 'in' : 'out';
    return contradiction(
      'direction',
      `The transaction moved the value the other way: direction is "${said}".`,
    );
  }
  return names(request.wallet)
    ? contradiction('counterparty', 'The transaction moved nothing between the wallet and this counterparty.')
    : contradiction('wallet', 'The transaction did not move anything from or to this wallet.');
};

const contradiction = (field: string, message: string): TraceRefusedError =>
  new TraceRefusedError('anchor_contradicted', field, message);

type Chosen = { readonly moved: Holding; readonly leftOut: readonly Holding[] };

/**
 * Chooses the traced asset. Between the coin and a stablecoin it is the one that the request names, or, if it
 * names both, the one worth more. Among stablecoins it is the one closest to the request, or the largest.
 * Dust counts only when nothing else moved. The other assets are reported unless the request excluded them.
 */
const chooseMoved = async (
  request: TraceRequest,
  passed: readonly Passed[],
  context: QueryContext,
): Promise<Chosen> => {
  const { chain, coin, usd } = request;
  const held = passed.filter(
    ({ canonicalAsset }) => canonicalAsset === NATIVE || isStablecoin(chain, canonicalAsset),
  );
  const inEarnest = held.filter(({ canonicalAsset, amountRaw }) => !isDust(chain, canonicalAsset, amountRaw));
  const among = (isSome(inEarnest) ? inEarnest : held).map(({ canonicalAsset, amountRaw }) => ({
    canonicalAsset,
    amountRaw,
  }));
  const coins = among.filter(({ canonicalAsset }) => canonicalAsset === NATIVE);
  const dollars = nearestFirst(
    request,
    among.filter(({ canonicalAsset }) => canonicalAsset !== NATIVE),
  );
  const sumOfFirst = ([first]: readonly Holding[]) => (first === undefined ? 0 : wholeUnits(chain, first));
  const { missing } = request;
  const asksCoin = coin > 0 || missing.includes('sol');
  const asksUsd = usd > 0 || missing.includes('usd');
  const named = { coin: asksCoin ? sumOfFirst(coins) : 0, usd: asksUsd ? sumOfFirst(dollars) : 0 };
  const isOfDollars =
    coins.length === 0 || (dollars.length > 0 && (await isMostlyDollars(request, named, context)));
  const [moved, ...same] = isOfDollars ? dollars : coins;
  if (moved === undefined) throw nothingToTrace(request, 'signature');
  const isChosenByBody = isOfDollars ? !asksCoin : !asksUsd;
  return { moved, leftOut: [...same, ...(isChosenByBody ? [] : isOfDollars ? coins : dollars)] };
};

/** Of the asset that the request states; when it states no dollars, the largest amount. */
const nearestFirst = ({ chain, usd }: TraceRequest, dollars: readonly Holding[]): readonly Holding[] => {
  const distance = (holding: Holding): number =>
    usd === 0 ? -wholeUnits(chain, holding) : Math.abs(wholeUnits(chain, holding) - usd);
  return dollars.toSorted((a, b) => distance(a) - distance(b));
};
