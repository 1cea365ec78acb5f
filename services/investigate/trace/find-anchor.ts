import type { Address } from '../model/address.ts';
import { fromWholeUnits } from '../model/amount.ts';
import { isStablecoin, stablecoinsOf } from '../model/asset.ts';
import { NATIVE } from '../model/movement.ts';
import type { TransactionPosition, TransactionRow } from '../model/transfer-reader.ts';
import type { Ask } from './ask.ts';
import { TRANSACTION_ROWS_MAX } from './rules.ts';
import { type Anchor, type Holding, TraceRefusedError, type TraceRequest } from './trace-answer.ts';

/**
 * The anchor and, where its transaction is in the tables, where it stands, all its rows and of them those that brought the value to its
 * payee.
 */
export type FoundAnchor = Anchor & {
  readonly position: TransactionPosition | null;
  readonly rows: readonly TransactionRow[];
  readonly passed: readonly TransactionRow[];
};

/**
 * Looks the transfer up by its transaction. What the chain says outranks the body; a body that contradicts it (wallet,
 * counterparty, direction) is refused with `anchor_contradicted`, a transfer of neither the coin nor a stablecoin with
 * `nothing_to_trace`. A transaction that is not in the tables is believed as the body tells it.
 */
export const findAnchor = async (request: TraceRequest, ask: Ask): Promise<FoundAnchor> => {
  const { signature } = request;
  const rows = await ask.reader.transaction({ ...ask.limits, signature, limit: TRANSACTION_ROWS_MAX });
  if (rows === null) return believe(request);
  const passed = findPassed(request, rows);
  const moved = chooseMoved(request, { passed, rows });
  const { blockTime, blockNumber, txIndex } = passed[0];
  // Early Solana blocks have no time of their own.
  const timeUnixSeconds = blockTime === 0 ? request.timeUnixSeconds : blockTime;
  const position = { blockTime: timeUnixSeconds, blockNumber, txIndex };
  return { signature, timeUnixSeconds, moved: [moved], verified: true, position, rows, passed };
};

/** The anchor as the body tells it. Throws `nothing_to_trace` where that is less than a unit. */
export const believe = (request: TraceRequest): FoundAnchor => {
  const { chain, coin, usd, signature, timeUnixSeconds } = request;
  const moved: Holding[] =
    coin > 0
      ? [{ family: NATIVE, amountRaw: fromWholeUnits(coin, chain.native.decimals) }]
      : stablecoinsOf(chain).map(({ asset, decimals }) => ({
          family: asset,
          amountRaw: fromWholeUnits(usd, decimals),
        }));
  const known = moved.filter(({ amountRaw }) => amountRaw > 0n);
  if (known.length === 0) throw nothingToTrace(request, 'sol');
  return { signature, timeUnixSeconds, moved: known, verified: false, position: null, rows: [], passed: [] };
};

const nothingToTrace = ({ chain }: TraceRequest, field: string): TraceRefusedError =>
  new TraceRefusedError(
    'nothing_to_trace',
    field,
    `The transfer moved no ${chain.native.symbol} or stablecoin to trace.`,
  );

/** Throws `nothing_to_trace` where the body itself says that neither moved. */
export const requireAmount = (request: TraceRequest): void => {
  if (request.coin === 0 && request.usd === 0) throw nothingToTrace(request, 'sol');
};

type Passed = readonly [TransactionRow, ...TransactionRow[]];

const isSome = (rows: readonly TransactionRow[]): rows is Passed => rows.length > 0;

/** The rows that brought the value from payer to payee: directly, or through a router in the same transaction. */
const findPassed = (
  { wallet, counterparty, direction }: TraceRequest,
  rows: readonly TransactionRow[],
): Passed => {
  const [payer, payee] = direction === 'out' ? [wallet, counterparty] : [counterparty, wallet];
  const passed = between(payer, payee, rows);
  if (isSome(passed)) return passed;
  const names = (address: string) => rows.some(({ from, to }) => from === address || to === address);
  if (isSome(between(payee, payer, rows))) {
    const said = direction === 'out' ? 'in' : 'out';
    throw contradiction(
      'direction',
      `The transaction moved the value the other way: direction is "${said}".`,
    );
  }
  throw names(wallet)
    ? contradiction('counterparty', 'The transaction moved nothing between the wallet and this counterparty.')
    : contradiction('wallet', 'The transaction did not move anything from or to this wallet.');
};

const between = (
  payer: Address,
  payee: Address,
  rows: readonly TransactionRow[],
): readonly TransactionRow[] => {
  const direct = rows.filter(({ from, to }) => from === payer && to === payee);
  if (isSome(direct)) return direct;
  const paid = new Set(rows.filter(({ from }) => from === payer).map(({ to, family }) => `${to} ${family}`));
  return rows.filter(({ from, to, family }) => to === payee && paid.has(`${from} ${family}`));
};

const contradiction = (field: string, message: string): TraceRefusedError =>
  new TraceRefusedError('anchor_contradicted', field, message);

type Rows = { readonly passed: readonly TransactionRow[]; readonly rows: readonly TransactionRow[] };

/**
 * The coin or the stablecoin that passed; of several the one that the body speaks of, then the first. No more than the payer
 * gave: a router may pay for several in one transaction.
 */
const chooseMoved = (request: TraceRequest, { passed, rows }: Rows): Holding => {
  const { chain, coin, wallet, counterparty, direction } = request;
  const payer = direction === 'out' ? wallet : counterparty;
  const through = new Set(passed.flatMap(({ from, to }) => [from, to]));
  const given = sumByFamily(rows.filter(({ from, to }) => from === payer && through.has(to)));
  const sums = [...sumByFamily(passed)].map(([family, passedRaw]) => {
    const givenRaw = given.get(family);
    const isMore = givenRaw !== undefined && passedRaw > givenRaw;
    return [family, isMore ? givenRaw : passedRaw] as const;
  });
  const held = sums.filter(([family]) => family === NATIVE || isStablecoin(chain, family));
  const chosen = held.find(([family]) => (family === NATIVE) === coin > 0) ?? held[0];
  if (chosen === undefined) throw nothingToTrace(request, 'signature');
  return { family: chosen[0], amountRaw: chosen[1] };
};

const sumByFamily = (rows: readonly TransactionRow[]): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>();
  for (const { family, amountRaw } of rows) sums.set(family, (sums.get(family) ?? 0n) + amountRaw);
  return sums;
};
