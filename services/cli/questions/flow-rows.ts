import type { CsvRow } from '../../platform/write-csv.ts';
import type { Flow } from '../../sdk/create-spoor.ts';
import { linkTo } from './draw-words.ts';

type Edge = Flow['edges'][number];
type Place = Pick<Flow['ends'][number], 'address' | 'amount' | 'amount_raw' | 'usd' | 'probability'>;

/**
 * One row a payment, then one for each place where the money is now: `row` is `payment`, `end`, `rest` or `frontier`. The
 * amounts of the last three add up to what was taken. Lists are separated by spaces.
 */
export const toFlowRows = (flow: Flow): readonly CsvRow[] => {
  const { edges, ends, rests, frontier } = flow;
  const known = ends.filter(({ reason }) => reason !== 'at_rest' && reason !== 'no_data');
  const unread = ends.filter(({ reason }) => reason === 'no_data');
  const place = (row: 'end' | 'rest' | 'frontier', reason: string) => (of: Place) =>
    toPlaceRow(flow, of, { row, reason });
  return [
    ...edges.filter(({ amount_raw: raw }) => raw !== '0').map((edge) => toPaymentRow(flow, edge)),
    ...known.map((end) => place('end', end.outcome)(end)),
    ...rests.map(place('rest', 'at_rest')),
    ...unread.map(place('frontier', 'no_data')),
    ...frontier
      .filter(({ amount_raw: raw }) => raw !== '0')
      .map((wallet) => place('frontier', wallet.reason)(wallet)),
  ];
};

const toPaymentRow = (flow: Flow, { transactions, through, ...edge }: Edge): CsvRow => ({
  row: 'payment',
  ...edge,
  through: through.map(({ address }) => address).join(' '),
  signature: transactions[0]?.signature ?? null,
  signatures: transactions.map(({ signature }) => signature).join(' '),
  times: transactions.map(({ time }) => time).join(' '),
  amounts_raw: transactions.map(({ amount_raw }) => amount_raw).join(' '),
  link: transactions[0] ? linkTo(flow.chain, transactions[0].signature) : null,
  ...namesOf(flow, { from: edge.from, to: edge.to }),
  end: flow.nodes.find(({ address }) => address === edge.to)?.end ?? null,
  ...assetOf(flow),
});

type Named = { readonly row: string; readonly reason: string };

const toPlaceRow = (
  flow: Flow,
  { address, amount, amount_raw, usd, probability }: Place,
  { row, reason }: Named,
): CsvRow => ({
  ...{ row, from: null, to: address, amount, amount_raw, usd, moved: null, moved_raw: null },
  ...{ share: null, probability, beyond_sum: null, transactions_total: null, through: null },
  ...{ signature: null, signatures: null, times: null, amounts_raw: null, link: null },
  ...namesOf(flow, { from: null, to: address }),
  end: reason,
  ...assetOf(flow),
});

const namesOf = (
  { nodes, ends }: Flow,
  { from, to }: { readonly from: string | null; readonly to: string },
) => {
  const labelOf = (address: string | null) =>
    [...nodes, ...ends].find((each) => each.address === address && each.label !== null)?.label ?? null;
  return {
    from_label: labelOf(from)?.name ?? null,
    label: labelOf(to)?.name ?? null,
    kind: labelOf(to)?.kind ?? null,
  };
};

const assetOf = ({ asset, coverage }: Flow) => ({
  asset: asset.address ?? 'native',
  symbol: asset.symbol,
  usd_at: coverage.usd_at,
});
