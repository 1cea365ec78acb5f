import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Flow } from '../../../sdk/create-spoor.ts';
import { SpoorError } from '../../../sdk/spoor-error.ts';
import { makeCase, nameOf } from '../case/cases.ts';
import { useHistory } from '../case/use-history.ts';
import { Work } from '../case/work.tsx';
import { openClient } from '../client.ts';
import { AddressText } from '../shared/address-text.tsx';
import { Failed, Price, Running } from '../shared/call.tsx';
import { useAccess } from '../shared/use-access.ts';
import { useCall } from '../shared/use-call.ts';
import { type FlowQuestion, readFlowQuestion } from './read-question.ts';
import type { ViewEvent } from './view-events.ts';

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

/** An answer that is not kept as a case, and why. */
type NotKept = { readonly name: string; readonly step: ViewEvent; readonly why: unknown };

const AskedFlow = ({ question }: { question: FlowQuestion }) => {
  const access = useAccess();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const { state, call, cancel } = useCall<Flow>();
  const [notKept, setNotKept] = useState<NotKept | null>(null);
  const ask = async (): Promise<void> => {
    const flow = await call((asking) => openClient().followGraph(question, asking));
    if (flow === null) return;
    // It is kept from its first answer on: what was paid for is not lost with the tab.
    const step: ViewEvent = { type: 'answered', flow, from: null };
    const name = nameOf(flow.chain, question.address);
    try {
      const made = await makeCase(name, step);
      queries.setQueryData(['case', made.id], { ...made, done: [step], undone: [] });
      navigate(`/case?${new URLSearchParams({ id: made.id })}`, { replace: true });
    } catch (why) {
      setNotKept({ name, step, why });
    }
  };
  const askFirst = useRef(ask);
  useEffect(() => {
    // What costs something is asked only when the reader says so.
    if (access === 'open') void askFirst.current();
  }, [access]);
  return (
    <>
      <h1>
        Where did the money of <AddressText chain={question.chain ?? ''} address={question.address} /> go?
      </h1>
      {state.status === 'running' && (
        <Running what="Following the money" progress={state.progress} onCancel={cancel} />
      )}
      {state.status === 'failed' && <Failed error={state.error} onAgain={() => void ask()} />}
      {state.status === 'idle' && (
        <p>
          <button type="button" className="main" onClick={() => void ask()}>
            Follow the money
          </button>{' '}
          <Price tariff="follow" />
        </p>
      )}
      {notKept !== null && <Unkept {...notKept} />}
    </>
  );
};

const Unkept = ({ name, step, why }: NotKept) => {
  const { history, take } = useHistory({ done: [step], undone: [] });
  return (
    <>
      <p role="alert">
        This picture is not kept as a case: it is gone with this page.{' '}
        {why instanceof SpoorError ? why.message : 'The service could not be reached.'}
      </p>
      <Work name={name} history={history} onTake={take} />
    </>
  );
};
