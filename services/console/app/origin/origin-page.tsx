import { Link, useSearch } from 'wouter';
import type { Spoor, Trail } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText, LabelText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatAmount, formatShare, formatTime, formatUsd, shorten, showName } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Hop = Trail['hops'][number];

/** Where the money of a wallet came from, payer by payer. */
export const OriginPage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const address = fields.get('address') ?? '';
  const chain = fields.get('chain');
  const body = { address, backward: true, ...(chain !== null && { chain }) } as Parameters<
    Spoor['follow']
  >[0];
  return (
    <>
      <h1>Where did the money come from?</h1>
      {address === '' ? (
        <p>Paste the address of a wallet above.</p>
      ) : (
        <Asked
          key={search}
          tariff="follow"
          action="Look for where it came from"
          ask={(asking) => openClient().follow(body, asking)}
          show={(answer) => <Found answer={answer} />}
        />
      )}
    </>
  );
};

const Found = ({ answer }: { answer: Trail }) => {
  const { chain, start, start_label, hops, end, meta } = answer;
  return (
    <>
      <p>
        To <AddressText chain={chain} address={start} /> <LabelText label={start_label} />. {end.detail}
      </p>
      {meta.detail !== null && <p className="quiet">{meta.detail}</p>}
      <DataTable
        title="The way back"
        file="origin"
        rows={hops}
        columns={columnsOf(chain)}
        keyOf={(hop) => `${hop.from} ${hop.to} ${hop.signature}`}
        none="No payer is known."
      />
    </>
  );
};

const columnsOf = (chain: string): readonly Column<Hop>[] => [
  {
    name: 'Time',
    show: (hop) => formatTime(hop.time),
    text: (hop) => new Date(hop.time * 1_000).toISOString(),
  },
  {
    name: 'From',
    show: (hop) => (
      <>
        <AddressText chain={chain} address={hop.from} /> <LabelText label={hop.from_label ?? null} />
      </>
    ),
    text: (hop) => hop.from,
  },
  { name: 'To', show: (hop) => <AddressText chain={chain} address={hop.to} />, text: (hop) => hop.to },
  {
    name: 'Amount',
    show: (hop) => `${formatAmount(hop.amount)} ${hop.symbol === null ? '' : showName(hop.symbol)}`,
    text: (hop) => hop.amount_raw,
    isNumber: true,
  },
  {
    name: 'Dollars',
    show: (hop) => formatUsd(hop.usd),
    text: (hop) => String(hop.usd ?? ''),
    isNumber: true,
  },
  { name: 'Share', show: (hop) => formatShare(hop.share), text: (hop) => String(hop.share), isNumber: true },
  {
    name: 'Largest transaction',
    show: (hop) => (
      <Link
        href={`/transaction?${new URLSearchParams({ chain, hash: hop.signature })}`}
        title={hop.signature}
      >
        {shorten(hop.signature)}
      </Link>
    ),
    text: (hop) => hop.signature,
  },
];
