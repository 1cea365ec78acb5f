import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { readKey } from '../client.ts';
import { formatTime, showName } from '../shared/format.ts';
import { useAccess } from '../shared/use-access.ts';
import { type CaseLine, listCases } from './cases.ts';

const SHOWN = 10;

/** The cases of the account, newest first; of the service, where nobody has one. */
export const CaseList = () => {
  const access = useAccess();
  const mayAsk = access === 'open' || (access !== null && readKey() !== null);
  const { data } = useQuery({ queryKey: ['cases'], queryFn: listCases, enabled: mayAsk });
  if (data === undefined || data.length === 0) return null;
  const rest = data.slice(SHOWN);
  return (
    <section aria-labelledby="cases">
      <h2 id="cases">Recent cases</h2>
      <Lines cases={data.slice(0, SHOWN)} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} older ones</summary>
          <Lines cases={rest} />
        </details>
      )}
    </section>
  );
};

const Lines = ({ cases }: { cases: readonly CaseLine[] }) => (
  <ul className="cases">
    {cases.map(({ id, name, changed_at, steps, is_shared }) => (
      <li key={id}>
        <Link href={`/case?${new URLSearchParams({ id })}`}>{showName(name)}</Link>{' '}
        <small className="quiet">
          {formatTime(changed_at)}, {steps === 1 ? '1 step' : `${steps} steps`}
          {is_shared ? ', shared' : ''}
        </small>
      </li>
    ))}
  </ul>
);
