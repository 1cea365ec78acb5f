import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { SpoorError } from '../../../sdk/spoor-error.ts';
import { CopyButton } from '../shared/address-text.tsx';
import { Failed } from '../shared/call.tsx';
import { download } from '../shared/download.ts';
import { showName } from '../shared/format.ts';
import { deleteCase, exportCase, type OpenedCase, renameCase, revokeLink, shareCase } from './cases.ts';

type Props = {
  readonly opened: OpenedCase;
  readonly saving: { readonly isSaving: boolean; readonly failed: unknown };
  readonly onSave: () => void;
  readonly onReload: () => void;
};

/** Name of the case, whether it is kept, its link, and its end. */
export const CaseTools = ({ opened, saving, onSave, onReload }: Props) => {
  const [name, setName] = useState(opened.name);
  const [isNaming, setNaming] = useState(false);
  const [failed, setFailed] = useState<unknown>(null);
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    setFailed(null);
    try {
      await work();
    } catch (error) {
      setFailed(error);
    }
  };
  return (
    <>
      <div className="tools case">
        {isNaming ? (
          <NameForm
            name={name}
            onName={(next) =>
              void attempt(async () => {
                setName((await renameCase(opened.id, next)).name);
                setNaming(false);
              })
            }
          />
        ) : (
          <>
            <h1>{showName(name)}</h1>
            <button type="button" onClick={() => setNaming(true)}>
              Rename
            </button>
          </>
        )}
        <p role="status" className="quiet">
          {saving.failed !== null ? 'Not kept' : saving.isSaving ? 'Keeping…' : 'Kept'}
        </p>
        <button
          type="button"
          disabled={saving.isSaving || saving.failed !== null}
          title="A zip with the answers, every movement that they cite and the signature of this service: anybody can check it"
          onClick={() =>
            void attempt(async () => download('case.zip', 'application/zip', await exportCase(opened.id)))
          }
        >
          Signed case
        </button>
        <LinkTools opened={opened} attempt={attempt} />
        <DeleteButton id={opened.id} attempt={attempt} />
      </div>
      {saving.failed !== null && <NotKept error={saving.failed} onSave={onSave} onReload={onReload} />}
      {failed !== null && <Failed error={failed} />}
    </>
  );
};

type Attempt = (work: () => Promise<void>) => Promise<void>;

const NameForm = ({ name, onName }: { name: string; onName: (name: string) => void }) => {
  const [text, setText] = useState(name);
  return (
    <form
      className="tools"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') onName(text.trim());
      }}
    >
      <label>
        Name of the case{' '}
        <input value={text} maxLength={200} onChange={(event) => setText(event.target.value)} />
      </label>
      <button type="submit">Keep the name</button>
    </form>
  );
};

/** The part behind # is never sent to a server, so the link stands in no log. */
const addressOf = (link: string): string => `${location.origin}/shared#${link}`;

const LinkTools = ({ opened, attempt }: { opened: OpenedCase; attempt: Attempt }) => {
  const [isShared, setShared] = useState(opened.is_shared);
  const [link, setLink] = useState<string | null>(null);
  return (
    <>
      <button
        type="button"
        onClick={() =>
          void attempt(async () => {
            setLink(await shareCase(opened.id));
            setShared(true);
          })
        }
      >
        {isShared ? 'Make a new link' : 'Make a link to read'}
      </button>
      {isShared && (
        <button
          type="button"
          onClick={() =>
            void attempt(async () => {
              await revokeLink(opened.id);
              setShared(false);
              setLink(null);
            })
          }
        >
          Revoke the link
        </button>
      )}
      {link !== null && (
        <p className="address-line">
          Whoever has this link can read the case, and change nothing: <code>{addressOf(link)}</code>{' '}
          <CopyButton text={addressOf(link)} what="link" />
        </p>
      )}
    </>
  );
};

const DeleteButton = ({ id, attempt }: { id: string; attempt: Attempt }) => {
  const [isSure, setSure] = useState(false);
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  return isSure ? (
    <fieldset className="tools" aria-label="Delete the case">
      <button
        type="button"
        onClick={() =>
          void attempt(async () => {
            await deleteCase(id);
            queries.removeQueries({ queryKey: ['cases'] });
            navigate('/');
          })
        }
      >
        Delete it for good
      </button>
      <button type="button" onClick={() => setSure(false)}>
        Do not
      </button>
    </fieldset>
  ) : (
    <button type="button" onClick={() => setSure(true)}>
      Delete
    </button>
  );
};

const NotKept = ({
  error,
  onSave,
  onReload,
}: {
  error: unknown;
  onSave: () => void;
  onReload: () => void;
}) => {
  const isChanged = error instanceof SpoorError && error.status === 409;
  return (
    <div className="failed" role="alert">
      <p>
        {error instanceof SpoorError ? error.message : 'The service could not be reached.'} Your last steps
        are not kept.
      </p>
      <button type="button" onClick={isChanged ? onReload : onSave}>
        {isChanged ? 'Show the case as it is kept' : 'Try to keep them again'}
      </button>
    </div>
  );
};
