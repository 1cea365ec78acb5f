/** Far above any terms or answer that a facilitator has. */
const ANSWER_BYTES_MAX = 256 << 10;

export type FacilitatorAnswer = { readonly status: number; readonly body: unknown };

/**
 * Asks a facilitator, who is somebody else: its answer is read so far and no further, and nobody is asked in its place. Throws
 * where it does not answer in time, sends the question elsewhere, or answers with anything but JSON.
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
    // Leaving the loop closes the line.
    if (bytes > ANSWER_BYTES_MAX) throw new Error('the answer of the facilitator is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};
