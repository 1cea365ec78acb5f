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
  (server: URL, answerBytesMax = ANSWER_BYTES_MAX): CallRoute =>
  async ({ path, body, headers, signal }) => {
    const response = await fetch(new URL(path, server), {
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

/** What the server says of the length is not believed: what is read is counted. */
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
