import { useCallback, useEffect } from 'react';
import type { Flow } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { FlowView } from '../flow/flow-view.tsx';
import type { FlowQuestion } from '../flow/read-question.ts';
import type { History, ViewEvent } from '../flow/view-events.ts';
import { Failed, Running } from '../shared/call.tsx';
import { useCall } from '../shared/use-call.ts';
import type { Act } from './cases.ts';

type Props = {
  /** Of exported files. */
  readonly name: string;
  readonly history: History;
  readonly onTake: (taken: Act) => void;
  /** Whether the reader may only look: nothing can be asked or written. */
  readonly isReadOnly?: boolean;
};

/** A picture and what is done with it. What goes on behind an end is asked here. */
export const Work = ({ name, history, onTake, isReadOnly = false }: Props) => {
  const { state, call, cancel } = useCall<Flow>();
  const act = useCallback((event: ViewEvent): void => onTake({ type: 'take', event }), [onTake]);
  const expand = useCallback(
    async (body: object, from: string): Promise<void> => {
      const flow = await call((asking) => openClient().followGraph(body as FlowQuestion, asking));
      if (flow !== null) act({ type: 'answered', flow, from });
    },
    [call, act],
  );
  useUndoKeys(onTake);
  return (
    <>
      {state.status === 'running' && (
        <Running what="Following the money" progress={state.progress} onCancel={cancel} />
      )}
      {state.status === 'failed' && <Failed error={state.error} />}
      <FlowView
        name={name}
        history={history}
        onAct={act}
        onUndo={() => onTake({ type: 'undo' })}
        onRedo={() => onTake({ type: 'redo' })}
        onExpand={isReadOnly ? null : (body, from) => void expand(body, from)}
      />
    </>
  );
};

/** Ctrl-Z and Ctrl-Y, or with the command key; not while somebody types. */
const useUndoKeys = (onTake: (taken: Act) => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
      if (isTyping || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      onTake({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [onTake]);
};
