import { Link, useSearch } from 'wouter';
import type { Spoor, Trace } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText } from '../shared/address-text.tsx';
import { Asked } from '../shared/asked.tsx';
import { formatAmount, formatShare, formatTime, shorten, showName } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Body = Parameters<Spoor['trace']>[0];
type Candidate = Trace['candidates'][number];

/** Who took a deposit out of a mixer or an exchange again. */
export const TracePage = () => {
  const search = useSearch();
  const fields = new URLSearchParams(search);
  const body = Object.fromEntries(
    [...fields].map(([name, value]) => [
      name,
      ['time', 'sol', 'usd', 'window'].includes(name) ? Number(value) : value,
    ]),
  );
  return (
    <>
      <h1>{fields.get('direction') === 'in' ? 'Who paid this in?' : 'Who took this out again?'}</h1>
      {fields.get('wallet') === null ? (
        <p>This page opens from a mixer or an exchange in a flow.</p>
      ) : (
        <Asked
          key={search}
          tariff="trace"
          action="Look for candidates"
          ask={(asking) => openClient().trace(body as unknown as Body, asking)}
          show={(answer) => <Candidates answer={answer} chain={fields.get('chain') ?? 'solana'} />}
        />
      )}
    </>
  );
};

const Candidates = ({ answer, chain }: { answer: Trace; chain: string }) => {
  const { anchor, window, candidates } = answer;
  const columns: readonly Column<Candidate>[] = [
    {
      name: 'Wallet',
      show: (row) => (
        <>
          <AddressText chain={chain} address={row.address} /> {row.label !== null && showName(row.label)}
        </>
      ),
      text: (row) => row.address,
    },
    {
      name: 'Confidence',
      show: (row) => (
        <>
          <meter
            min={0}
            max={1}
            value={row.confidence}
            aria-label={`confidence ${formatShare(row.confidence)}`}
          />{' '}
          {formatShare(row.confidence)}, {row.tier}
        </>
      ),
      text: (row) => String(row.confidence),
    },
    {
      name: 'Amount',
      show: (row) => `${formatAmount(row.amount)} ${row.asset}`,
      text: (row) => row.amount_raw,
      isNumber: true,
    },
    {
      name: 'Time',
      show: (row) => formatTime(row.time),
      text: (row) => new Date(row.time * 1_000).toISOString(),
    },
    {
      name: 'Evidence',
      show: (row) =>
        row.evidence.length === 0 ? (
          `none beside amount and time, as ${row.crowd} others`
        ) : (
          <ul>
            {row.evidence.map((it) => (
              <li key={JSON.stringify(it)}>{it.detail}</li>
            ))}
          </ul>
        ),
      text: (row) => row.evidence.map(({ detail }) => detail).join('; '),
    },
    {
      name: 'Transaction',
      show: (row) => (
        <Link
          href={`/transaction?${new URLSearchParams({ chain, hash: row.signature })}`}
          title={row.signature}
        >
          {shorten(row.signature)}
        </Link>
      ),
      text: (row) => row.signature,
    },
  ];
  return (
    <>
      <p>
        {formatAmount(anchor.amount)} {anchor.asset} at {formatTime(anchor.time)}
        {anchor.verified ? ', verified on the chain' : ', not verified'}. Read from {formatTime(window.from)}{' '}
        to {formatTime(window.to)}: {window.transactions} transactions at {window.searched_total} wallets,{' '}
        {window.complete ? 'all of them' : 'only in part'}. {answer.anonymity_set} payments could be it.
      </p>
      <p className="quiet">
        Confidence is an inference: how often such a candidate was the right one where the truth is known.
      </p>
      <DataTable
        title="Candidates"
        file="candidates"
        rows={candidates}
        columns={columns}
        keyOf={(row) => `${row.signature} ${row.address}`}
        none="Nobody fits within the window."
      />
    </>
  );
};
