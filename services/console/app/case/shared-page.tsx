import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Failed } from '../shared/call.tsx';
import { formatTime, showName } from '../shared/format.ts';
import { readShared, type SharedCase } from './cases.ts';
import { useHistory } from './use-history.ts';
import { Work } from './work.tsx';

/** A case of somebody else, opened by its link. */
export const SharedPage = () => {
  const link = useHash();
  const { data, error } = useQuery({
    queryKey: ['shared', link],
    queryFn: () => readShared(link),
    gcTime: 0,
  });
  if (error !== null)
    return (
      <>
        <h1>This case cannot be opened</h1>
        <Failed error={error} />
      </>
    );
  return data === undefined ? <p role="status">Opening the case…</p> : <Shown key={link} shared={data} />;
};

const Shown = ({ shared }: { shared: SharedCase }) => {
  const { history, take } = useHistory({ done: shared.done, undone: shared.undone });
  return (
    <>
      <h1>{showName(shared.name)}</h1>
      <p className="quiet">
        Somebody shared this case, as it was kept {formatTime(shared.changed_at)}. What you do here is not
        kept. Ask the service yourself before you rely on it.
      </p>
      <Work name={shared.name} history={history} onTake={take} isReadOnly />
    </>
  );
};

const useHash = (): string => {
  const [hash, setHash] = useState(location.hash.slice(1));
  useEffect(() => {
    const onHash = (): void => setHash(location.hash.slice(1));
    addEventListener('hashchange', onHash);
    return () => removeEventListener('hashchange', onHash);
  }, []);
  return hash;
};
