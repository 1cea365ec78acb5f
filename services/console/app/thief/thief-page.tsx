import { useSearch } from 'wouter';
import type { Spoor, Victims } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText, LabelText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatAmount, formatTime, formatUsd } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Victim = Victims['victims'][number];

/** Whom a wallet robbed, how, and what is still open to it. */
export const ThiefPage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const body = { address: fields.get('address') ?? '', chain: fields.get('chain') ?? 'solana' };
  return (
    <>
      <h1>Whom did this wallet rob?</h1>
      {body.address === '' ? (
        <p>Paste the address of a thief above.</p>
      ) : (
        <Asked
          key={search}
          tariff="victims"
          action="Look for victims"
          ask={(asking) => openClient().victims(body as Parameters<Spoor['victims']>[0], asking)}
          show={(answer) => <Found answer={answer} />}
        />
      )}
    </>
  );
};

const Found = ({ answer }: { answer: Victims }) => {
  const { chain, address, label, victims, revocable, totals, meta } = answer;
  return (
    <>
      <p>
        <AddressText chain={chain} address={address} /> <LabelText label={label} />: {totals.victims}{' '}
        {totals.victims === 1 ? 'victim' : 'victims'} lost {formatUsd(totals.usd)}
        {totals.unpriced > 0 && `, and ${totals.unpriced} losses have no price`}.
      </p>
      {meta.detail !== null && <p className="quiet">{meta.detail}</p>}
      <DataTable
        title="Victims"
        file="victims"
        rows={victims}
        columns={columnsOf(chain)}
        keyOf={(row) => row.address}
        none="Nobody was found."
      />
      {revocable.length > 0 && (
        <p>
          <strong>{revocable.length} permissions are still open</strong>: their owners can lose more until
          they revoke them.
        </p>
      )}
    </>
  );
};

const columnsOf = (chain: string): readonly Column<Victim>[] => [
  {
    name: 'Wallet',
    show: (row) => (
      <>
        <AddressText chain={chain} address={row.address} /> <LabelText label={row.label} />
      </>
    ),
    text: (row) => row.address,
  },
  { name: 'Lost', show: (row) => formatUsd(row.usd), text: (row) => String(row.usd ?? ''), isNumber: true },
  {
    name: 'Losses',
    show: (row) => (
      <ul>
        {row.losses.map((loss) => (
          <li key={`${loss.signature} ${loss.asset.address}`}>
            {formatAmount(loss.amount)} {loss.asset.symbol ?? 'of an unnamed token'} by {loss.method}
          </li>
        ))}
      </ul>
    ),
    text: (row) =>
      row.losses.map((loss) => `${loss.amount} ${loss.asset.symbol ?? ''} by ${loss.method}`).join('; '),
  },
  {
    name: 'First',
    show: (row) => formatTime(row.first),
    text: (row) => new Date(row.first * 1_000).toISOString(),
  },
  {
    name: 'Last',
    show: (row) => formatTime(row.last),
    text: (row) => new Date(row.last * 1_000).toISOString(),
  },
];
