/** Statuses after which a repetition may succeed: full, busy with this call, or out of reach. */
const AGAIN = new Set([408, 429, 502, 503, 504]);
const IN_PROGRESS = 409;
const PAUSE_MAX_MS = 30_000;

/**
 * A `fetch` that repeats a call if that cannot cost twice: reads, and questions with an Idempotency-Key. Other
 * calls are sent once. It waits as `Retry-After` says, else twice as long each time.
 */
export const retrySafely =
  (send: typeof fetch, retries: number): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const isSafe = request.method === 'GET' || request.headers.has('idempotency-key');
    for (let attempt = 0; ; attempt++) {
      const isLast = !isSafe || attempt >= retries;
      try {
        const response = await send(request.clone());
        if (isLast || !(await isWorthAgain(response))) return response;
        await pause(attempt, request.signal, response);
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
        await pause(attempt, request.signal);
      }
    }
  };

const isWorthAgain = async (response: Response): Promise<boolean> => {
  if (AGAIN.has(response.status)) return true;
  if (response.status !== IN_PROGRESS) return false;
  const { code } = (await response.clone().json()) as { code?: string };
  return code === 'call_in_progress';
};

const pause = async (attempt: number, signal: AbortSignal, response?: Response): Promise<void> => {
  const asked = Number(response?.headers.get('retry-after') ?? Number.NaN) * 1_000;
  const ms = Number.isFinite(asked) && asked > 0 ? asked : 500 * 2 ** attempt;
  await response?.body?.cancel();
  await sleep(Math.min(ms, PAUSE_MAX_MS), signal);
};

/** Rejects with the signal's reason as soon as that aborts. */
const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
