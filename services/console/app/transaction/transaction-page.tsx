import { Link, useSearch } from 'wouter';
import type { Spoor, Transaction } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText, CopyButton, LabelText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatAmount, formatTime, formatUsd, shorten, showName } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Movement = Transaction['movements'][number];

/** What one transaction moved. */
export const TransactionPage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const hash = fields.get('hash') ?? '';
  const chain = fields.get('chain');
  const body = { hash, ...(chain === null ? {} : { chain }) } as Parameters<Spoor['tx']>[0];
  return (
    <>
      <h1>What did this transaction move?</h1>
      {hash === '' ? (
        <p>Paste the hash of a transaction above.</p>
      ) : (
        <>
          <p className="address-line">
            <code>{hash}</code> <CopyButton text={hash} what="transaction" />
          </p>
          <Asked
            key={search}
            tariff="analyze"
            action="Read the transaction"
            ask={(asking) => openClient().tx(body, asking)}
            show={(answer) => <Found answer={answer} />}
          />
        </>
      )}
    </>
  );
};

const Found = ({ answer }: { answer: Transaction }) => {
  const { chain, time, block, sender, sender_label, movements, meta } = answer;
  return (
    <>
      {time !== null && sender !== null && (
        <p>
          Sent by <AddressText chain={chain} address={sender} /> <LabelText label={sender_label} /> on {chain}
          , {formatTime(time)}, block {block?.toLocaleString('en-US')}.
        </p>
      )}
      {meta.detail !== null && <p className="quiet">{meta.detail}</p>}
      <DataTable
        title="Movements"
        file="movements"
        rows={movements}
        columns={columnsOf(chain, time)}
        keyOf={(row) => JSON.stringify(row)}
        none="Nothing that is indexed moved in it."
      />
    </>
  );
};

const symbolOf = ({ asset }: Movement): string =>
  asset.symbol === null ? shorten(asset.address ?? 'native') : showName(asset.symbol);

const columnsOf = (chain: string, time: number | null): readonly Column<Movement>[] => [
  {
    name: 'From',
    show: (row) => (
      <>
        <AddressText chain={chain} address={row.from} /> <LabelText label={row.from_label} />
      </>
    ),
    text: ({ from }) => from,
  },
  {
    name: 'To',
    show: (row) => (
      <>
        <AddressText chain={chain} address={row.to} /> <LabelText label={row.to_label} />
      </>
    ),
    text: ({ to }) => to,
  },
  {
    name: 'Amount',
    show: (row) => `${formatAmount(row.amount)} ${symbolOf(row)}`,
    text: (row) => `${row.amount_raw} ${symbolOf(row)}`,
    isNumber: true,
  },
  {
    name: 'Dollars',
    show: (row) => formatUsd(row.usd),
    text: (row) => String(row.usd ?? ''),
    isNumber: true,
  },
  {
    name: 'Go on',
    show: (row) => (
      <Link href={`/flow?${new URLSearchParams({ chain, address: row.to, since: String(time ?? 0) })}`}>
        Follow it from here
      </Link>
    ),
    text: () => '',
  },
];
