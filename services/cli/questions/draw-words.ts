import { styleText } from 'node:util';
import { toWholeText } from '../../investigate/model/amount.ts';
import { findChain } from '../../investigate/model/chain.ts';
import { showable } from '../../platform/showable.ts';

type NamedLabel = { readonly name: string; readonly kind: string } | null | undefined;

/** An address with its label, if any. Foreign text is made safe to print. */
export const drawParty = (address: string, label?: NamedLabel): string =>
  label
    ? `${showable(address)} ${styleText('bold', showable(`[${label.name}, ${label.kind}]`))}`
    : showable(address);

/** $1,234.50, -$222.62; `worth unknown` without a price. */
export const drawDollars = (usd: number | null): string => {
  if (usd === null) return 'worth unknown';
  const cents = Math.round(usd * 100) / 100;
  const shown = Math.abs(cents).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
  return `${cents < 0 ? '-' : ''}$${shown}`;
};

export const drawAmount = (amount: number, symbol: string | null, usd: number | null = null): string =>
  withWorth(amount.toLocaleString('en-US', { maximumFractionDigits: 9 }), symbol, usd);

type Unit = { readonly symbol: string | null; readonly decimals: number | null };

/** Exact, so that what is added up on a page adds up. */
export const drawExact = (amountRaw: string, { symbol, decimals }: Unit, usd: number | null = null): string =>
  withWorth(toWholeText(BigInt(amountRaw), decimals), symbol, usd);

const withWorth = (amount: string, symbol: string | null, usd: number | null): string =>
  `${amount} ${showable(symbol ?? 'units')}${usd === null ? '' : ` (${drawDollars(usd)})`}`;

/** 2025-09-01 12:00:00 UTC */
export const drawTime = (unixSeconds: number | null): string =>
  unixSeconds === null
    ? ''
    : `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const drawShare = (share: number | null): string =>
  share === null ? 'an unknown part' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

export const drawProbability = (probability: number): string => `probability ${drawShare(probability)}`;

export const drawConfidence = (confidence: number): string => `confidence ${drawShare(confidence)}`;

/** The page of a transaction in an explorer; its hash alone on an unknown chain. */
export const linkTo = (chain: string, signature: string): string =>
  showable(`${findChain(chain)?.explorer.transaction ?? ''}${signature}`);

export const faint = (text: string): string => styleText('dim', text);
