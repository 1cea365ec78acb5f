import { type Step, tellSteps } from '../sdk/read-steps.ts';

/** A route's answer; `body` is parsed JSON. */
export type RouteAnswer = {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: unknown;
};

export type RouteCall = {
  readonly path: string;
  readonly body: unknown;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Hears what is read from chains meanwhile. */
  readonly onStep?: (step: Step) => void;
};

/** Asks this process's HTTP API, or another server. Throws if it cannot be reached. */
export type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

/** Our answers are bounded; a longer one is from something else. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The API of a running server, by HTTP. */
export const callServer =
  (server: URL, answerBytesMax = ANSWER_BYTES_MAX): CallRoute =>
  async ({ path, body, headers, signal, onStep }) => {
    const send = onStep ? tellSteps(fetch, onStep) : fetch;
    const response = await send(new URL(path, server), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: JSON.parse(await readBounded(response, answerBytesMax)) as unknown,
    };
  };

/** Counts what is read and ignores the stated length. */
const readBounded = async (response: Response, bytesMax: number): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) throw new Error(`the server's answer has more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
