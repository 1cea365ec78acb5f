import { useQuery } from '@tanstack/react-query';
import type { Spoor } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { Failed } from '../shared/call.tsx';
import { formatTime } from '../shared/format.ts';
import { type Column, DataTable } from '../table/data-table.tsx';

const DAYS = 30;

/** What the account has left, its keys, and its calls by day. */
export const AccountView = () => {
  const account = useQuery({ queryKey: ['account'], queryFn: () => openClient().account() });
  const usage = useQuery({ queryKey: ['usage'], queryFn: () => openClient().usage(DAYS) });
  if (account.error) return <Failed error={account.error} onAgain={() => void account.refetch()} />;
  if (account.data === undefined) return <p role="status">Reading the account…</p>;
  const { plan_name, analyses_left, traces_left, pack_credits, keys } = account.data;
  return (
    <>
      <p>
        {plan_name ?? 'No plan'}: {analyses_left ?? 0} analyses, {traces_left ?? 0} traces and{' '}
        {pack_credits ?? 0} credits are left.
      </p>
      <DataTable
        title="Keys"
        file="keys"
        rows={keys}
        columns={KEY_COLUMNS}
        keyOf={({ id }) => id}
        none="There is no key."
      />
      {usage.data && (
        <DataTable
          title={`Calls of the last ${DAYS} days`}
          file="usage"
          rows={usage.data.usage.filter(hasCalls).toReversed()}
          columns={USAGE_COLUMNS}
          keyOf={({ date }) => date}
          none="There were none."
        />
      )}
    </>
  );
};

type Key = Awaited<ReturnType<Spoor['account']>>['keys'][number];
type Day = Awaited<ReturnType<Spoor['usage']>>['usage'][number];

const hasCalls = ({ analyses, traces, follows, insiders, victims, failed }: Day): boolean =>
  analyses + traces + follows + insiders + victims + failed > 0;

const timeOrNever = (unixSeconds: number | null): string =>
  unixSeconds === null ? 'never' : formatTime(unixSeconds);

const KEY_COLUMNS: readonly Column<Key>[] = [
  { name: 'Name', show: ({ name }) => name, text: ({ name }) => name },
  { name: 'Begins with', show: ({ prefix }) => <code>{prefix}</code>, text: ({ prefix }) => prefix },
  {
    name: 'Last used',
    show: (row) => timeOrNever(row.last_used_at),
    text: (row) => timeOrNever(row.last_used_at),
  },
  { name: 'Revoked', show: (row) => timeOrNever(row.revoked_at), text: (row) => timeOrNever(row.revoked_at) },
];

const count = (name: string, read: (day: Day) => number): Column<Day> => ({
  name,
  show: read,
  text: (day) => String(read(day)),
  isNumber: true,
});

const USAGE_COLUMNS: readonly Column<Day>[] = [
  { name: 'Day', show: ({ date }) => date, text: ({ date }) => date },
  count('Follows', ({ follows }) => follows),
  count('Analyses', ({ analyses }) => analyses),
  count('Traces', ({ traces }) => traces),
  count('Insiders', ({ insiders }) => insiders),
  count('Victims', ({ victims }) => victims),
  count('Free', ({ failed }) => failed),
];
