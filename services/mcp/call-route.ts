/** What a route answered; `body` is parsed JSON. */
export type RouteAnswer = {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly body: unknown;
};

export type RouteCall = {
  readonly path: string;
  readonly body: unknown;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** Asks the HTTP API: the process's own, or a server elsewhere. Throws where it cannot be reached. */
export type CallRoute = (call: RouteCall) => Promise<RouteAnswer>;

/** Answers are bounded; a server that sends more is none of ours. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The API of a running server, by HTTP. */
export const callServer =
  (server: URL): CallRoute =>
  async ({ path, body, headers, signal }) => {
    const response = await fetch(new URL(path, server), {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal,
    });
    if (Number(response.headers.get('content-length') ?? 0) > ANSWER_BYTES_MAX)
      throw new Error('answer too large');
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: await response.json(),
    };
  };
