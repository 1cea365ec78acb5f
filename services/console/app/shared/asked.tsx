import { type ReactNode, useEffect, useRef } from 'react';
import type { TariffName } from '../../../credits/decider/tariffs.ts';
import { Failed, Price, Running } from './call.tsx';
import { useAccess } from './use-access.ts';
import { type Asking, useCall } from './use-call.ts';

type Props<T> = {
  readonly tariff: TariffName;
  /** What the button does: "Look for candidates". */
  readonly action: string;
  readonly ask: (asking: Asking) => Promise<T>;
  readonly show: (answer: T) => ReactNode;
};

/** One question: its price and a button, then its progress, then its answer. A service that is open to all is asked at once. */
export const Asked = <T,>({ tariff, action, ask, show }: Props<T>) => {
  const access = useAccess();
  const { state, call, cancel } = useCall<T>();
  const first = useRef(ask);
  useEffect(() => {
    if (access === 'open') void call(first.current);
  }, [access, call]);
  switch (state.status) {
    case 'idle':
      return (
        <p>
          <button type="button" className="main" onClick={() => void call(ask)}>
            {action}
          </button>{' '}
          <Price tariff={tariff} />
        </p>
      );
    case 'running':
      return <Running what={action} progress={state.progress} onCancel={cancel} />;
    case 'failed':
      return <Failed error={state.error} onAgain={() => void call(ask)} />;
    case 'answered':
      return show(state.answer);
  }
};
