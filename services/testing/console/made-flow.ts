import type { Flow } from '../../sdk/create-spoor.ts';

type Payment = {
  readonly from: string;
  readonly to: string;
  readonly raw: bigint;
  readonly probability?: number;
};

const NOT_LOST = { burned_raw: '0', fees_raw: '0', frozen: null, frozen_known: true, can_freeze: false };

/** A graph answer over these payments of a coin with 9 decimals at a dollar, each in a transaction of its own. Its first sender is the start. */
export const madeFlow = (
  payments: readonly Payment[],
  extra: Partial<Pick<Flow, 'ends' | 'frontier' | 'chain' | 'asset' | 'starts'>> = {},
): Flow => {
  const start = payments[0]?.from ?? 'start';
  const names = [...new Set([start, ...payments.flatMap(({ from, to }) => [from, to])])];
  const hops = new Map([[start, 0]]);
  for (const { from, to } of payments) if (!hops.has(to)) hops.set(to, (hops.get(from) ?? 0) + 1);
  const sum = (name: string, side: 'from' | 'to'): bigint =>
    payments.filter((it) => it[side] === name).reduce((total, { raw }) => total + raw, 0n);
  const units = (raw: bigint) => ({
    amount: Number(raw) / 1e9,
    amount_raw: String(raw),
    usd: Number(raw) / 1e9,
  });
  const taken = sum(start, 'from');
  return {
    chain: 'solana',
    starts: [start],
    asset: { symbol: 'SOL', address: null, decimals: 9 },
    nodes: names.map((address) => {
      const arrived = address === start ? taken : sum(address, 'to');
      const left = sum(address, 'from');
      return {
        address,
        label: null,
        is_start: address === start,
        hops: hops.get(address) ?? 0,
        probability: 1,
        arrived: Number(arrived) / 1e9,
        arrived_raw: String(arrived),
        left: Number(left) / 1e9,
        left_raw: String(left),
        rest: Number(arrived - left) / 1e9,
        rest_raw: String(arrived - left),
        usd: Number(arrived) / 1e9,
        end: null,
      };
    }),
    edges: payments.map(({ from, to, raw, probability = 1 }, at) => ({
      from,
      to,
      through: [],
      ...units(raw),
      moved: Number(raw) / 1e9,
      moved_raw: String(raw),
      share: 1,
      probability,
      beyond_sum: false,
      transactions: [
        {
          signature: `tx${at}`,
          amount: Number(raw) / 1e9,
          amount_raw: String(raw),
          time: 1_700_000_000 + at,
        },
      ],
      transactions_total: 1,
    })),
    ends: [],
    rests: names.flatMap((address) => {
      const arrived = address === start ? taken : sum(address, 'to');
      const raw = arrived - sum(address, 'from');
      return raw > 0n ? [{ address, label: null, ...units(raw), ...NOT_LOST, probability: 1 }] : [];
    }),
    frontier: [],
    positions: [],
    coverage: {
      taken: units(taken),
      ends: units(0n),
      outcomes: [{ outcome: 'at_rest', ...units(taken) }],
      rest: units(taken),
      frontier: units(0n),
      usd_source: 'market',
      usd_at: 1_700_000_000,
    },
    meta: {
      chain: 'solana',
      scope: 'full',
      detail: null,
      data_from: null,
      data_to: null,
      index_head: null,
      prices: 'ready',
      explorer: {
        address: 'https://solscan.io/account/{address}',
        transaction: 'https://solscan.io/tx/{hash}',
      },
      questions: 1,
      wallets_read: 1,
      rows_read: 1,
    },
    ...extra,
  } as Flow;
};
