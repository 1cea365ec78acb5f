import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { keepKey, readKey } from '../client.ts';
import { useAccess } from '../shared/use-access.ts';
import { AccountView } from './account-view.tsx';
import { SignIn } from './sign-in.tsx';

/** How calls are paid for: by a key, or by a wallet that signs in and gets one. */
export const AccessPage = () => {
  const access = useAccess();
  const [hasKey, setHasKey] = useState(readKey() !== null);
  const queries = useQueryClient();
  const use = (key: string | null, isForLong: boolean): void => {
    keepKey(key, isForLong);
    setHasKey(key !== null);
    // Nothing of an account stays on the page without its key.
    void queries.resetQueries();
  };
  if (access === 'open')
    return (
      <>
        <h1>Access</h1>
        <p>No account is open on this service: calls need no key and cost nothing.</p>
      </>
    );
  return (
    <>
      <h1>Access</h1>
      {hasKey ? (
        <>
          <AccountView />
          <button type="button" onClick={() => use(null, false)}>
            Forget the key
          </button>
        </>
      ) : (
        <>
          <KeyForm onKey={use} />
          <SignIn onKey={(key) => use(key, false)} />
        </>
      )}
    </>
  );
};

const KeyForm = ({ onKey }: { onKey: (key: string, isForLong: boolean) => void }) => {
  const [key, setKey] = useState('');
  const [isForLong, setForLong] = useState(false);
  return (
    <form
      className="key"
      onSubmit={(event) => {
        event.preventDefault();
        if (key.trim() !== '') onKey(key.trim(), isForLong);
      }}
    >
      <label>
        API key
        <input
          type="password"
          value={key}
          autoComplete="off"
          onChange={(event) => setKey(event.target.value)}
        />
      </label>
      <label>
        <input type="checkbox" checked={isForLong} onChange={(event) => setForLong(event.target.checked)} />
        Keep it on this computer. Otherwise it is forgotten with this tab.
      </label>
      <button type="submit">Use this key</button>
    </form>
  );
};
