import type { Flow } from '../../../sdk/create-spoor.ts';

/** Where a part of the money is now. The rows of an answer add up to what was taken, to the raw unit. */
export type Outcome = {
  readonly outcome: string;
  readonly amountRaw: bigint;
  readonly usd: number | null;
  /** How many places there are of it. */
  readonly places: number;
  /** Its part of what was taken, 0 to 1. */
  readonly share: number;
};

const WORDS: Readonly<Record<string, string>> = {
  exchange: 'At an exchange',
  bridge: 'Into a bridge',
  mixer: 'Into a mixer',
  dex_swap: 'Sold for another asset',
  position: 'Put where a receipt stands for it: lent, staked or pooled',
  at_rest: 'At rest in wallets',
  frozen: 'Frozen by the issuer',
  burned: 'Destroyed',
  fees: 'Paid in fees',
  no_data: 'Not read: nothing is indexed there',
};

const UNREAD: Readonly<Record<string, string>> = {
  max_hops: 'Beyond the most hops',
  min_usd: 'Below the smallest amount',
  min_probability: 'Below the smallest probability',
  calls: 'Not read: the calls were used up',
  seconds: 'Not read: the time was up',
  size: 'Beyond the size of one answer',
  unread: 'Not read: the wallet could not be read',
};

export const wordsOfEnd = (reason: string): string => WORDS[reason] ?? reason.replaceAll('_', ' ');
export const wordsOfFrontier = (reason: string): string => UNREAD[reason] ?? reason.replaceAll('_', ' ');

/** Rows of the outcome table, largest first. What no row of the answer explains is a row of its own, never left out. */
export const listOutcomes = ({ nodes, ends, rests, frontier, coverage }: Flow): readonly Outcome[] => {
  const rows = new Map<string, { amountRaw: bigint; usd: number | null; places: number }>();
  const add = (outcome: string, amountRaw: bigint, usd: number | null, places = 1): void => {
    const row = rows.get(outcome) ?? { amountRaw: 0n, usd: 0, places: 0 };
    rows.set(outcome, {
      amountRaw: row.amountRaw + amountRaw,
      usd: row.usd === null || usd === null ? null : row.usd + usd,
      places: row.places + places,
    });
  };
  for (const end of ends)
    if (end.reason !== 'at_rest')
      add(wordsOfEnd(end.outcome ?? end.reason) + underSanctions(end), BigInt(end.amount_raw), end.usd);
  for (const wallet of frontier) add(wordsOfFrontier(wallet.reason), BigInt(wallet.amount_raw), wallet.usd);
  const takenRaw = BigInt(coverage.taken.amount_raw);
  const restRaw = BigInt(coverage.rest.amount_raw);
  const restsRaw = rests.reduce((sum, { amount_raw }) => sum + BigInt(amount_raw), 0n);
  if (restsRaw === restRaw)
    for (const rest of rests)
      for (const { outcome, amountRaw } of partsOfRest(rest))
        add(wordsOfEnd(outcome) + underSanctions(rest), amountRaw, usdOf(rest, amountRaw));
  else if (restRaw !== 0n) {
    const resting = nodes.filter(
      ({ rest_raw, end }) => rest_raw !== '0' && (end === null || end === 'at_rest'),
    ).length;
    add(wordsOfEnd('at_rest'), restRaw, coverage.rest.usd, resting);
  }
  const listedRaw = [...rows.values()].reduce((sum, { amountRaw }) => sum + amountRaw, 0n);
  if (listedRaw !== takenRaw) add('Not told apart in this answer', takenRaw - listedRaw, null, 0);
  return [...rows]
    .map(([outcome, row]) => ({ outcome, ...row, share: partOf(row.amountRaw, takenRaw) }))
    .sort((a, b) => (a.amountRaw === b.amountRaw ? 0 : a.amountRaw > b.amountRaw ? -1 : 1));
};

/** An answer that an earlier version kept does not tell what became of it. */
const partsOfRest = ({
  amount_raw,
  burned_raw = '0',
  fees_raw = '0',
  frozen = null,
}: Flow['rests'][number]) =>
  [
    { outcome: 'burned', amountRaw: BigInt(burned_raw) },
    { outcome: 'fees', amountRaw: BigInt(fees_raw) },
    {
      outcome: frozen === null ? 'at_rest' : 'frozen',
      amountRaw: BigInt(amount_raw) - BigInt(burned_raw) - BigInt(fees_raw),
    },
  ].filter(({ amountRaw }) => amountRaw > 0n);

const usdOf = ({ amount_raw, usd }: Flow['rests'][number], amountRaw: bigint): number | null =>
  usd && usd * partOf(amountRaw, BigInt(amount_raw));

/** A row of its own: whoever looks for what can be stopped looks for these first. */
const underSanctions = ({ label }: Pick<Flow['rests'][number], 'label'>): string =>
  label?.kind === 'sanctioned' ? ', under sanctions' : '';

const partOf = (amountRaw: bigint, takenRaw: bigint): number =>
  takenRaw === 0n ? 0 : Number((amountRaw * 1_000_000n) / takenRaw) / 1_000_000;
