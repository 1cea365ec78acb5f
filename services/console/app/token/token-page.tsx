import { useSearch } from 'wouter';
import type { Insiders, Spoor } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText, LabelText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatShare, formatTime, formatUsd, showName } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Insider = Insiders['insiders'][number];

/** Who had a token early, and what ties them to its creator. */
export const TokenPage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const body = { token: fields.get('address') ?? '', chain: fields.get('chain') ?? 'solana' };
  return (
    <>
      <h1>Who had this token early?</h1>
      {body.token === '' ? (
        <p>Paste the address of a token above.</p>
      ) : (
        <Asked
          key={search}
          tariff="insiders"
          action="Look for insiders"
          ask={(asking) => openClient().insiders(body as Parameters<Spoor['insiders']>[0], asking)}
          show={(answer) => <Found answer={answer} />}
        />
      )}
    </>
  );
};

const Found = ({ answer }: { answer: Insiders }) => {
  const { chain, token, creator, launch, insiders, totals, meta } = answer;
  return (
    <>
      <p>
        Token <AddressText chain={chain} address={token.address} /> {token.symbol && showName(token.symbol)}
        {creator?.address && (
          <>
            , created by <AddressText chain={chain} address={creator.address} />{' '}
            <LabelText label={creator.label} />
          </>
        )}
        {launch && `, launched ${formatTime(launch.time)}`}.
      </p>
      <p>
        {totals.insiders} insiders
        {totals.share_bought !== null && ` bought ${formatShare(totals.share_bought)}`}
        {totals.share_held !== null && ` and hold ${formatShare(totals.share_held)}`}
        {totals.profit_usd !== null && `; profit ${formatUsd(totals.profit_usd)}`}.
      </p>
      {meta.detail !== null && <p className="quiet">{meta.detail}</p>}
      <DataTable
        title="Insiders"
        file="insiders"
        rows={insiders}
        columns={columnsOf(chain)}
        keyOf={({ address }) => address}
        none={answer.why_none ?? 'There are none.'}
      />
    </>
  );
};

const columnsOf = (chain: string): readonly Column<Insider>[] => [
  {
    name: 'Wallet',
    show: (row) => (
      <>
        <AddressText chain={chain} address={row.address} /> <LabelText label={row.label} />
      </>
    ),
    text: (row) => row.address,
  },
  {
    name: 'Tied by',
    show: (row) => (
      <ul>
        {row.links.map((link) => (
          <li key={`${link.kind} ${link.with}`}>{link.detail}</li>
        ))}
      </ul>
    ),
    text: (row) => row.links.map(({ detail }) => detail).join('; '),
  },
  {
    name: 'Confidence',
    show: (row) => formatShare(row.confidence),
    text: (row) => String(row.confidence),
    isNumber: true,
  },
  {
    name: 'Bought',
    show: (row) => (row.share_bought === null ? 'unknown' : formatShare(row.share_bought)),
    text: (row) => row.bought_raw,
    isNumber: true,
  },
  {
    name: 'Holds',
    show: (row) => (row.share_held === null ? 'unknown' : formatShare(row.share_held)),
    text: (row) => row.held_raw,
    isNumber: true,
  },
  {
    name: 'Profit',
    show: (row) => formatUsd(row.profit_usd),
    text: (row) => String(row.profit_usd ?? ''),
    isNumber: true,
  },
];
