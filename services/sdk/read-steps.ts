/** What a service does while it works on a question. */
export type Step = {
  /** `reading`: a history is being read. `read`: it was read. */
  readonly kind: 'reading' | 'read';
  readonly chain: string;
  readonly address: string;
  /** Estimate until it is read; null once it was. */
  readonly seconds_left: number | null;
};

const EVENTS = 'text/event-stream';

/** A `fetch` that asks for the steps of a question, tells them, and answers as without them. */
export const tellSteps =
  (send: typeof fetch, onStep: (step: Step) => void): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    if (request.method !== 'POST') return send(request);
    request.headers.set('accept', `${EVENTS}, application/json;q=0.5`);
    const response = await send(request);
    const isStream = response.headers.get('content-type')?.startsWith(EVENTS) ?? false;
    if (!isStream || response.body === null) return response;
    for await (const { name, data } of readEvents(response.body)) {
      if (name === 'step') onStep(JSON.parse(data) as Step);
      if (name === 'answer') return answerOf(data, 200, response);
      if (name === 'error') return answerOf(data, (JSON.parse(data) as { status: number }).status, response);
    }
    throw new TypeError('the connection ended before the answer');
  };

const answerOf = (data: string, status: number, { headers }: Response): Response => {
  const kept = [...headers].filter(([name]) => !['content-type', 'content-encoding'].includes(name));
  return new Response(data, { status, headers: [...kept, ['content-type', 'application/json']] });
};

async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly name: string; readonly data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const fieldOf = (field: string): string =>
          lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2) ?? '';
        if (fieldOf('event') !== '') yield { name: fieldOf('event'), data: fieldOf('data') };
      }
    }
  } finally {
    await reader.cancel();
  }
}

/** Steps as they come, and the answer as the last value: `ask` hears them by the function that it gets. */
export async function* iterateSteps<Answer>(
  ask: (onStep: (step: Step) => void) => Promise<Answer>,
): AsyncGenerator<Step, Answer> {
  const steps: Step[] = [];
  let isDone = false;
  let wake = (): void => {};
  const answer = ask((step) => {
    steps.push(step);
    wake();
  }).finally(() => {
    isDone = true;
    wake();
  });
  // It is awaited below, where it is told.
  answer.catch(() => undefined);
  for (;;) {
    yield* steps.splice(0);
    if (isDone) return answer;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (steps.length > 0 || isDone) resolve();
    });
  }
}
