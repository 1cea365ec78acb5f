import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, useSearch } from 'wouter';
import { Failed } from '../shared/call.tsx';
import { CaseTools } from './case-tools.tsx';
import { type OpenedCase, readCase } from './cases.ts';
import { useKeptHistory } from './use-history.ts';
import { Work } from './work.tsx';

/** How long a case counts as read. Longer than the way here from its first answer. */
const FRESH_MS = 10_000;

/** A case: what somebody did to a picture, kept step by step. */
export const CasePage = () => {
  const id = new URLSearchParams(useSearch()).get('id') ?? '';
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['case', id],
    queryFn: () => readCase(id),
    staleTime: FRESH_MS,
    enabled: id !== '',
  });
  // Opened again it is read again: it may have been changed elsewhere.
  useEffect(() => () => queries.removeQueries({ queryKey: ['case', id] }), [queries, id]);
  if (id === '')
    return (
      <>
        <h1>There is no such case</h1>
        <p>
          <Link href="/">Your cases are on the start page.</Link>
        </p>
      </>
    );
  if (error !== null)
    return (
      <>
        <h1>This case cannot be opened</h1>
        <Failed error={error} onAgain={() => void refetch()} />
      </>
    );
  if (data === undefined) return <p role="status">Opening the case…</p>;
  return <KeptCase key={`${id} ${data.version}`} opened={data} onReload={() => void refetch()} />;
};

const KeptCase = ({ opened, onReload }: { opened: OpenedCase; onReload: () => void }) => {
  const { history, take, saving, saveAgain } = useKeptHistory(opened);
  return (
    <>
      <CaseTools opened={opened} saving={saving} onSave={saveAgain} onReload={onReload} />
      <Work name={opened.name} history={history} onTake={take} />
    </>
  );
};
