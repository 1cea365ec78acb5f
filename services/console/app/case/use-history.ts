import { useCallback, useEffect, useRef, useState } from 'react';
import { act, type History, redo, undo } from '../flow/view-events.ts';
import { type Act, type OpenedCase, saveAct } from './cases.ts';

const applyAct = (history: History, taken: Act): History => {
  switch (taken.type) {
    case 'take':
      return act(history, taken.event);
    case 'undo':
      return undo(history);
    case 'redo':
      return redo(history);
  }
};

/** A history that nobody keeps. */
export const useHistory = (first: History, onChange: (taken: Act) => void = () => {}) => {
  const [history, setHistory] = useState(first);
  const newest = useRef(first);
  const hear = useRef(onChange);
  hear.current = onChange;
  const take = useCallback((taken: Act): void => {
    const next = applyAct(newest.current, taken);
    if (next === newest.current) return;
    newest.current = next;
    setHistory(next);
    hear.current(taken);
  }, []);
  return { history, take };
};

/** Whether all that was done is kept: `failed` says why not. */
type Saving = { readonly isSaving: boolean; readonly failed: unknown };

/** The history of a case. Each act is sent to the server in its turn. */
export const useKeptHistory = ({ id, version, done, undone }: OpenedCase) => {
  const [saving, setSaving] = useState<Saving>({ isSaving: false, failed: null });
  const waiting = useRef<Act[]>([]);
  const known = useRef(version);
  const isRunning = useRef(false);
  const save = useCallback(async (): Promise<void> => {
    if (isRunning.current) return;
    isRunning.current = true;
    setSaving({ isSaving: true, failed: null });
    let failed: unknown = null;
    try {
      for (let [next] = waiting.current; next !== undefined; [next] = waiting.current) {
        known.current = (await saveAct(id, known.current, next)).version;
        waiting.current.shift();
      }
    } catch (error) {
      failed = error;
    }
    isRunning.current = false;
    setSaving({ isSaving: false, failed });
  }, [id]);
  const { history, take } = useHistory({ done, undone }, (taken) => {
    waiting.current.push(taken);
    void save();
  });
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (waiting.current.length > 0) event.preventDefault();
    };
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, []);
  return { history, take, saving, saveAgain: () => void save() };
};
