import { z } from 'zod';
import type { Chain } from '../investigate/model/chain.ts';

export type HourlyPrice = { readonly timeUnixSeconds: number; readonly usd: number };

/** An outside source of coin prices. */
export type PriceSource = {
  /**
   * At most one price an hour from a time on; none if the source has none. Throws `PriceSourceError`, or the
   * signal's reason.
   */
  coinPrices(
    request: { chain: Chain; fromUnixSeconds: number; hours: number },
    signal: AbortSignal,
  ): Promise<HourlyPrice[]>;
};

/**
 * `refused` and `malformed` concern one question: the source may answer the next one. The message never contains
 * the address, which may carry a key.
 */
export class PriceSourceError extends Error {
  readonly code: 'unreachable' | 'http_status' | 'refused' | 'malformed';
  constructor(code: PriceSourceError['code'], message: string) {
    super(`the source of prices ${message}`);
    this.name = 'PriceSourceError';
    this.code = code;
  }
}

const TIMEOUT_MS = 20_000;
const ANSWER_BYTES_MAX = 1 << 20;
/** Statuses that blame the question; others blame the source, the key or the moment. */
const REFUSALS = new Set([400, 404, 410, 422]);

const CHART = z.object({
  coins: z.record(
    z.string(),
    z.object({ prices: z.array(z.object({ timestamp: z.number().int(), price: z.number().positive() })) }),
  ),
});

/** A service with the coins API of DefiLlama: https://api-docs.defillama.com (`/chart/{coins}`). */
export const createHttpPriceSource = ({ url }: { url: URL }): PriceSource => ({
  coinPrices: async ({ chain, fromUnixSeconds, hours }, signal) => {
    // The wrapped coin has an address and the coin's worth.
    const id = `${chain.name}:${chain.wrappedNative}`;
    const query = new URLSearchParams({ start: `${fromUnixSeconds}`, span: `${hours}`, period: '1h' });
    const text = await fetchText(`${url.href.replace(/\/$/, '')}/chart/${id}?${query}`, signal);
    const chart = CHART.safeParse(parseJson(text));
    if (!chart.success) throw new PriceSourceError('malformed', 'did not answer with a chart of prices');
    const prices = Object.entries(chart.data.coins).find(([name]) => name.toLowerCase() === id.toLowerCase());
    const end = fromUnixSeconds + hours * 3_600;
    return (prices?.[1].prices ?? [])
      .map(({ timestamp, price }) => ({ timeUnixSeconds: timestamp, usd: price }))
      .filter(({ timeUnixSeconds: time }) => time >= fromUnixSeconds && time < end);
  },
});

const fetchText = async (url: string, signal: AbortSignal): Promise<string> => {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  try {
    const response = await fetch(url, { signal: limited, redirect: 'error' });
    if (!response.ok) {
      const code = REFUSALS.has(response.status) ? 'refused' : 'http_status';
      throw new PriceSourceError(code, `answered with status ${response.status}`);
    }
    return await readBounded(response);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PriceSourceError) throw error;
    throw new PriceSourceError('unreachable', 'did not answer');
  }
};

const readBounded = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX)
      throw new PriceSourceError('malformed', `answered more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
