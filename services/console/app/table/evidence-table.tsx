import { useState } from 'react';
import { Link } from 'wouter';
import { AddressText, CopyButton, LabelText } from '../shared/address-text.tsx';
import { formatAmount, formatShare, formatTime, formatUsd, shorten } from '../shared/format.ts';
import { Scroll } from '../shared/scroll.tsx';
import type { EvidenceRow } from './list-evidence.ts';

type Props = {
  readonly rows: readonly EvidenceRow[];
  readonly marked: string | null;
  readonly onMark: (card: string | null) => void;
};

type Column = 'time' | 'amount' | 'usd' | 'probability';

const VALUES: Readonly<Record<Column, (row: EvidenceRow) => number>> = {
  time: (row) => row.timeUnixSeconds,
  amount: (row) => row.amount,
  usd: (row) => row.usd ?? -1,
  probability: (row) => row.probability,
};

/** Each transfer that the picture rests on. */
export const EvidenceTable = ({ rows, marked, onMark }: Props) => {
  const [sorted, setSorted] = useState<{ by: Column; isUp: boolean }>({ by: 'time', isUp: true });
  const value = VALUES[sorted.by];
  const ordered = [...rows].sort((a, b) => (value(a) - value(b)) * (sorted.isUp ? 1 : -1));
  const head = (by: Column, words: string) => (
    <th scope="col" aria-sort={sorted.by !== by ? 'none' : sorted.isUp ? 'ascending' : 'descending'}>
      <button
        type="button"
        onClick={() => setSorted({ by, isUp: sorted.by === by ? !sorted.isUp : by === 'time' })}
      >
        {words}
      </button>
    </th>
  );
  return (
    <section aria-labelledby="evidence">
      <h2 id="evidence">Evidence: {rows.length} transfers</h2>
      <Scroll name="Transfers">
        <table className="evidence">
          <thead>
            <tr>
              {head('time', 'Time')}
              <th scope="col">Chain</th>
              <th scope="col">Transaction</th>
              <th scope="col">From</th>
              <th scope="col">To</th>
              {head('amount', 'Amount')}
              {head('usd', 'Dollars')}
              {head('probability', 'Probability')}
            </tr>
          </thead>
          <tbody>
            {ordered.map((row) => (
              <tr
                key={`${row.hash} ${row.fromCard} ${row.toCard}`}
                className={marked === row.fromCard || marked === row.toCard ? 'marked' : ''}
                onClick={() => onMark(row.toCard)}
              >
                <td className="time">{formatTime(row.timeUnixSeconds)}</td>
                <td>{row.chain}</td>
                <td>
                  <Link
                    href={`/transaction?${new URLSearchParams({ chain: row.chain, hash: row.hash })}`}
                    title={row.hash}
                  >
                    {shorten(row.hash)}
                  </Link>{' '}
                  <CopyButton text={row.hash} what="transaction" />{' '}
                  <a
                    href={row.explorerUrl}
                    target="_blank"
                    rel="noreferrer"
                    aria-label={`${row.hash} at ${new URL(row.explorerUrl).host}`}
                  >
                    ↗
                  </a>
                </td>
                <td>
                  <AddressText chain={row.chain} address={row.from} />
                </td>
                <td>
                  <AddressText chain={row.chain} address={row.to} /> <LabelText label={row.toLabel} />
                </td>
                <td className="number" title={`${row.amountRaw} raw`}>
                  {formatAmount(row.amount)} {row.symbol}
                </td>
                <td className="number">{formatUsd(row.usd)}</td>
                <td className="number">{formatShare(row.probability)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
};
