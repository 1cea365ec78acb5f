import { useCallback, useEffect, useRef, useState } from 'react';

type State<T> =
  | { readonly status: 'idle' }
  | { readonly status: 'running' }
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
  const call = useCallback(async (ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setState({ status: 'running' });
    try {
      const answer = await ask(own.signal);
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
