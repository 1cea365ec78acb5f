import { useEffect, useMemo, useReducer, useRef } from 'react';
import { useSearch } from 'wouter';
import type { Flow } from '../../../sdk/create-spoor.ts';
import { openClient } from '../client.ts';
import { AddressText } from '../shared/address-text.tsx';
import { Failed, Price, Running } from '../shared/call.tsx';
import { useAccess } from '../shared/use-access.ts';
import { useCall } from '../shared/use-call.ts';
import { FlowView } from './flow-view.tsx';
import { type FlowQuestion, readFlowQuestion } from './read-question.ts';
import { act, type History, NOTHING_DONE, redo, undo, type ViewEvent } from './view-events.ts';

type Step =
  | { readonly type: 'act'; readonly event: ViewEvent }
  | { readonly type: 'undo' | 'redo' | 'clear' };

const step = (history: History, taken: Step): History => {
  switch (taken.type) {
    case 'act':
      return act(history, taken.event);
    case 'undo':
      return undo(history);
    case 'redo':
      return redo(history);
    case 'clear':
      return NOTHING_DONE;
  }
};

/** Where the money of a wallet went, over every branch. */
export const FlowPage = () => {
  const search = useSearch();
  const question = useMemo(() => readFlowQuestion(search), [search]);
  if (question === null)
    return (
      <>
        <h1>Where did the money go?</h1>
        <p>Paste the address of a wallet above.</p>
      </>
    );
  // Another question begins a new picture.
  return <AskedFlow key={search} question={question} />;
};

const AskedFlow = ({ question }: { question: FlowQuestion }) => {
  const access = useAccess();
  const { state, call, cancel } = useCall<Flow>();
  const [history, take] = useReducer(step, NOTHING_DONE);
  const ask = async (body: FlowQuestion, from: string | null): Promise<void> => {
    const flow = await call((signal) => openClient().followGraph(body, { signal }));
    if (flow !== null) take({ type: 'act', event: { type: 'answered', flow, from } });
  };
  const askFirst = useRef(() => ask(question, null));
  useEffect(() => {
    // What costs something is asked only when the reader says so.
    if (access === 'open') void askFirst.current();
  }, [access]);
  useUndoKeys(take);
  return (
    <>
      <h1>
        Where did the money of <AddressText chain={question.chain ?? ''} address={question.address} /> go?
      </h1>
      {state.status === 'running' && <Running what="Following the money" onCancel={cancel} />}
      {state.status === 'failed' && (
        <Failed
          error={state.error}
          {...(history.done.length === 0 && { onAgain: () => void ask(question, null) })}
        />
      )}
      {state.status === 'idle' && history.done.length === 0 && (
        <p>
          <button type="button" className="main" onClick={() => void ask(question, null)}>
            Follow the money
          </button>{' '}
          <Price tariff="follow" />
        </p>
      )}
      {history.done.length > 0 && (
        <FlowView
          history={history}
          onAct={(event) => take({ type: 'act', event })}
          onUndo={() => take({ type: 'undo' })}
          onRedo={() => take({ type: 'redo' })}
          onExpand={(body, from) => void ask(body as FlowQuestion, from)}
        />
      )}
    </>
  );
};

/** Ctrl-Z and Ctrl-Y, or with the command key; not while somebody types. */
const useUndoKeys = (take: (taken: Step) => void): void => {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
      if (isTyping || !(event.ctrlKey || event.metaKey)) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      event.preventDefault();
      take({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [take]);
};
