import type { Address } from '../../model/address.ts';
import { addRaw } from '../../model/amount.ts';
import { type TransactionRow, transactionKey } from '../../model/transfer-reader.ts';
import type { FollowContext } from '../follow-context.ts';
import { startOf } from '../payments/gather-outflows.ts';
import type { Outflow } from '../payments/inflow.ts';
import { readFlows } from '../payments/read-flows.ts';
import { type ReadTransactions, readTransactions } from '../read-transactions.ts';
import { CYCLES_MAX, CYCLES_OF_ONE_MAX, NEXT_PAGE_ROWS } from '../rules.ts';
import { createTellPayout, findInnerPath, type Walking } from './find-inner-path.ts';
import { type Refunded, takeCycles, withoutRefunds } from './refunds.ts';

type Paid = Pick<Walking, 'wallet' | 'visited' | 'arrivalKeys'> & {
  /** The wallet's payments that are followed through contracts. */
  readonly payments: readonly Outflow[];
  /** Transactions in which the trail went in a cycle: any amount that came back in them counts. */
  readonly cyclic: ReadonlySet<string>;
};

/**
 * Adds refunds within these transactions to those of the trail: money that came back to the wallet or to contracts that it paid. A
 * refund must be most of what the wallet sent. In `cyclic` transactions any amount counts, because the trail itself came back there.
 * null: it added none.
 */
export const findRefunds = async (
  context: FollowContext,
  paid: Paid,
  rows: ReadTransactions['rows'],
): Promise<Refunded | null> => {
  const byTransaction = Map.groupBy(paid.payments, transactionKey);
  const touched = [...rows].flatMap(([key, of]) => {
    const payments = byTransaction.get(key) ?? [];
    return netTransaction(context, { ...paid, payments }, of);
  });
  if (touched.length === 0) return null;
  // A wallet may get refunds in a thousand transactions. One question reads them all.
  const more = await readMore(context, paid, new Set(rows.keys()));
  for (const [, of] of more) touched.push(...netTransaction(context, { ...paid, payments: [] }, of));
  return { refunded: new Set(touched) };
};

/** Returns the wallets that its refunds went through. */
const netTransaction = (context: FollowContext, paid: Paid, rows: readonly TransactionRow[]): Address[] => {
  const { refunds, asset, direction, request } = context;
  const { wrappedNative } = request.chain;
  const [first] = rows;
  if (first === undefined) return [];
  const own = rows.filter(
    ({ from, to, canonicalAsset }) =>
      canonicalAsset === asset.canonicalAsset && from !== wrappedNative && to !== wrappedNative,
  );
  const touched: Address[] = [];
  let wallets: readonly Address[] = [paid.wallet];
  let isLedRound = paid.cyclic.has(transactionKey(first));
  for (let taken = 0; taken < CYCLES_OF_ONE_MAX; taken += 1) {
    const left = withoutRefunds(own, refunds, direction);
    const { returned, wallets: through, isMost } = takeCycles(left, wallets, direction);
    if (returned.size > 0 && (isMost || isLedRound)) {
      for (const [key, raw] of returned) addRaw(refunds.raw, key, raw);
      touched.push(...through);
      continue;
    }
    const tell = createTellPayout(context, new Map([[transactionKey(first), left]]), paid.payments);
    const walking = { ...paid, tell, labels: new Map() };
    const cycle = paid.payments
      .map((payment) => findInnerPath(payment, walking).cycle)
      .find((of) => of.length > 0);
    if (cycle === undefined) return touched;
    wallets = cycle;
    isLedRound = true;
  }
  return touched;
};

/** The transactions of the wallet's other payments from then on. */
const readMore = async (
  context: FollowContext,
  { wallet, payments }: Paid,
  known: ReadonlySet<string>,
): Promise<ReadTransactions['rows']> => {
  const { request, direction, reads } = context;
  const [first] = payments;
  if (first === undefined) return new Map();
  const asked = { wallet, limit: NEXT_PAGE_ROWS, transfersOnly: true, from: startOf(first) };
  const page = await readFlows(context, direction.onward, asked);
  const others = new Map(page.rows.map((row) => [transactionKey(row), row]));
  const positions = [...others].flatMap(([key, row]) => (known.has(key) ? [] : [row])).slice(0, CYCLES_MAX);
  return positions.length === 0 ? new Map() : (await readTransactions(request.chain, positions, reads)).rows;
};
