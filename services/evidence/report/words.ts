import { toWholeText } from '../../investigate/model/amount.ts';
import type { Story } from './story.ts';

/** An exact amount, such as `1,234.5 USDC`. */
export const amountOf = ({ asset }: Pick<Story, 'asset'>, raw: bigint): string =>
  asset.decimals === null
    ? `${raw} raw units${asset.symbol === null ? '' : ` of ${asset.symbol}`}`
    : `${toWholeText(raw, asset.decimals)} ${asset.symbol ?? 'of the token'}`;

export const utcOf = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const shareOf = (probability: number | null): string =>
  probability === null ? '' : `${Number((probability * 100).toFixed(1))} %`;

const OUTCOMES: Readonly<Record<string, string>> = {
  exchange: 'At an exchange',
  bridge: 'Went into a bridge',
  mixer: 'Went into a mixer',
  dex_swap: 'Exchanged for another asset',
  position: 'Put where a receipt stands for it (lent, staked or pooled)',
  frozen: 'Frozen by the issuer',
  burned: 'Destroyed',
  fees: 'Paid in network fees',
  at_rest: 'At rest in a wallet',
  frontier: 'Not followed',
  no_data: 'Not followed: nothing is indexed there',
  max_hops: 'Goes on beyond what was asked',
  split: 'Divided, with nobody getting most',
  loop: 'Came back to a wallet of the trail',
  other: 'Paid to others, or not followed',
};

export const wordsOfOutcome = (outcome: string): string => OUTCOMES[outcome] ?? outcome.replaceAll('_', ' ');
