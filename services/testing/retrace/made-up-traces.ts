import type { Result } from '../../retrace/result.ts';

/** Nothing costs it where its number ends with 3, and it cannot be traced where it ends with 7. */
export const madeUpResult = (anchor: Readonly<Record<string, unknown>>, round = 0): Result => {
  const wallet = String(anchor.wallet);
  if (wallet.endsWith('7'))
    return { refused: { code: 'nothing_to_trace', field: 'sol', message: 'nothing' } };
  const scope = wallet.endsWith('3') ? 'no_data' : 'full';
  const meta = { scope, calibration: 'made up', data_from: 0, index_head: 9 };
  const candidate = { address: `${wallet} ${round}`, confidence: 0.5, signature: 's', time: 1 };
  return { answer: { candidates: [candidate], meta }, basis: { labels: {}, prices: {} } };
};
export const costs = (wallet: string): boolean => !/[37]$/.test(wallet);
