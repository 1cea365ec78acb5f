import type { Profile } from '../../../sdk/create-spoor.ts';
import { AddressText, LabelText } from '../shared/address-text.tsx';
import { formatTime, formatUsd } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

type Connection = Profile['connections'][number];

/** With whom it dealt, largest first. */
export const ConnectionTable = ({
  connections,
  chain,
}: {
  connections: readonly Connection[];
  chain: string;
}) => {
  const columns: readonly Column<Connection>[] = [
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
      name: 'Paid in',
      show: (row) => formatUsd(row.in.usd),
      text: (row) => String(row.in.usd),
      isNumber: true,
    },
    { name: 'Payments in', show: (row) => row.in.count, text: (row) => String(row.in.count), isNumber: true },
    {
      name: 'Got out',
      show: (row) => formatUsd(row.out.usd),
      text: (row) => String(row.out.usd),
      isNumber: true,
    },
    {
      name: 'Payments out',
      show: (row) => row.out.count,
      text: (row) => String(row.out.count),
      isNumber: true,
    },
    { name: 'Last', show: (row) => lastOf(row), text: (row) => lastOf(row) },
  ];
  return (
    <DataTable
      title="Connections"
      file="connections"
      rows={connections}
      columns={columns}
      keyOf={({ address }) => address}
      none="It dealt with nobody, as far as was read."
    />
  );
};

const lastOf = (row: Connection): string => {
  const last = Math.max(row.in.last ?? 0, row.out.last ?? 0);
  return last === 0 ? '' : formatTime(last);
};
