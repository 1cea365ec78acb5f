import type { Spoor } from '../../../sdk/create-spoor.ts';

export type FlowQuestion = Parameters<Spoor['followGraph']>[0];

const TEXTS = ['chain', 'address', 'asset', 'counterparty', 'traced_raw'] as const;
const NUMBERS = ['since', 'amount', 'max_hops', 'min_usd', 'min_probability'] as const;

/** The question that the address of the page asks; null without a wallet. The service checks it. */
export const readFlowQuestion = (search: string): FlowQuestion | null => {
  const fields = new URLSearchParams(search);
  const address = fields.get('address');
  if (!address) return null;
  const body: Record<string, string | number> = {};
  for (const name of TEXTS) {
    const value = fields.get(name);
    if (value) body[name] = value;
  }
  for (const name of NUMBERS) {
    const value = fields.get(name);
    if (value) body[name] = Number(value);
  }
  return { ...body, address };
};

/** The part of the page's address that asks this. */
export const writeSearch = (body: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(
    Object.entries(body).flatMap(([name, value]) =>
      value === undefined || value === null || typeof value === 'object' ? [] : [[name, String(value)]],
    ),
  ).toString();
