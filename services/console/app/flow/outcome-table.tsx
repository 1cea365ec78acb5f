import type { Flow } from '../../../sdk/create-spoor.ts';
import { formatRaw, formatShare, formatTime, formatUsd, shorten } from '../shared/format.ts';
import { Scroll } from '../shared/scroll.tsx';
import { listOutcomes } from './outcomes.ts';

/** Where the money is now. The rows add up to what was taken. */
export const OutcomeTable = ({ flow, isFirst }: { flow: Flow; isFirst: boolean }) => {
  const { asset, coverage, meta, starts } = flow;
  const rows = listOutcomes(flow);
  const symbol = asset.symbol ?? shorten(asset.address ?? '');
  const amount = (raw: bigint): string => formatRaw(raw, asset.decimals);
  return (
    <section className="outcomes">
      <h2>{isFirst ? 'Where the money is now' : `Where ${symbol} of ${shorten(starts[0] ?? '')} is now`}</h2>
      <Scroll name="Outcomes">
        <table>
          <thead>
            <tr>
              <th scope="col">Outcome</th>
              <th scope="col" className="number">
                {symbol}
              </th>
              <th scope="col" className="number">
                Dollars
              </th>
              <th scope="col" className="number">
                Share of what was taken
              </th>
              <th scope="col" className="number">
                Places
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.outcome}>
                <th scope="row">{row.outcome}</th>
                <td className="number">{amount(row.amountRaw)}</td>
                <td className="number">{formatUsd(row.usd)}</td>
                <td className="number">{formatShare(row.share)}</td>
                <td className="number">{row.places}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">Taken</th>
              <td className="number">{amount(BigInt(coverage.taken.amount_raw))}</td>
              <td className="number">{formatUsd(coverage.taken.usd)}</td>
              <td className="number">100 %</td>
              <td />
            </tr>
          </tfoot>
        </table>
      </Scroll>
      <p className="quiet">
        Amounts are expected parts of the money.{' '}
        {coverage.usd_at !== null &&
          `Dollars are at the price of ${formatTime(coverage.usd_at)}, when the money began to move. `}
        Read on {flow.chain}
        {meta.data_from !== null && meta.data_to !== null
          ? ` from ${formatTime(meta.data_from)} to ${formatTime(meta.data_to)}`
          : ''}
        .{meta.detail === null ? '' : ` ${meta.detail}`}
        {meta.prices === 'pending'
          ? ' Prices of these days are still being derived: ask again in a minute.'
          : ''}
      </p>
    </section>
  );
};
