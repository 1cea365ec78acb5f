import { useCallback, useEffect, useRef, useState } from 'react';
import type { Step } from '../../../sdk/read-steps.ts';
import { hear, NOTHING_YET, type Progress } from './progress.ts';

/** What a question of the client is asked with: who cancels it, and who hears its steps. */
export type Asking = { readonly signal: AbortSignal; readonly onStep: (step: Step) => void };

type State<T> =
  | { readonly status: 'idle' }
  | { readonly status: 'running'; readonly progress: Progress }
  | { readonly status: 'answered'; readonly answer: T }
  | { readonly status: 'failed'; readonly error: unknown };

/** One paid call at a time, which the reader can cancel. Leaving the page ends it. */
export const useCall = <T>() => {
  const [state, setState] = useState<State<T>>({ status: 'idle' });
  const running = useRef<AbortController | null>(null);
  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setState({ status: 'idle' });
  }, []);
  const call = useCallback(async (ask: (asking: Asking) => Promise<T>): Promise<T | null> => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    let progress = NOTHING_YET;
    const show = (): void => setState({ status: 'running', progress });
    const onStep = (step: Step): void => {
      if (own.signal.aborted) return;
      progress = hear(progress, step);
      show();
    };
    show();
    try {
      const answer = await ask({ signal: own.signal, onStep });
      if (own.signal.aborted) return null;
      setState({ status: 'answered', answer });
      return answer;
    } catch (error) {
      if (!own.signal.aborted) setState({ status: 'failed', error });
      return null;
    }
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  return { state, call, cancel };
};
