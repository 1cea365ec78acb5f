import { countOf } from '../../investigate/model/count-of.ts';
import { drawExact, drawTime, faint, linkTo } from './draw-words.ts';

type Paid = {
  readonly transactions: readonly {
    readonly signature: string;
    readonly amount_raw: string;
    readonly time: number;
  }[];
  readonly transactions_total: number;
};
type Money = {
  readonly chain: string;
  readonly asset: { readonly symbol: string | null; readonly decimals: number | null };
};

/** Every transaction of a payment, with what it moved where there are several. */
export const drawTransactions = (
  { transactions, transactions_total: total }: Paid,
  { chain, asset }: Money,
): readonly string[] => {
  const isOne = total === 1;
  const rest = total - transactions.length;
  return [
    ...transactions.map(({ signature, amount_raw, time }) =>
      faint(
        [drawTime(time), ...(isOne ? [] : [drawExact(amount_raw, asset)]), linkTo(chain, signature)].join(
          '  ',
        ),
      ),
    ),
    ...(rest > 0 ? [faint(`and ${countOf(rest, 'smaller transaction')}`)] : []),
  ];
};
