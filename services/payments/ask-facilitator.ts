/** Far above the size of any real answer. */
const ANSWER_BYTES_MAX = 256 << 10;

export type FacilitatorAnswer = { readonly status: number; readonly body: unknown };

/**
 * Asks a facilitator, which is a third party: the answer's size is bounded and redirects are refused. Throws if it
 * does not answer in time, redirects, or answers with anything but JSON.
 */
export const askFacilitator = async (
  url: string,
  { body, timeoutMs }: { body?: object; timeoutMs: number },
): Promise<FacilitatorAnswer> => {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: JSON.parse(await readText(response)) };
};

const readText = async ({ body }: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer of the facilitator is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
