import { styleText } from 'node:util';
import { showable } from '../../platform/showable.ts';

type NamedLabel = { readonly name: string; readonly kind: string } | null | undefined;

/** An address with its label, if any. Foreign text is made safe to print. */
export const drawParty = (address: string, label?: NamedLabel): string =>
  label
    ? `${showable(address)} ${styleText('bold', showable(`[${label.name}, ${label.kind}]`))}`
    : showable(address);

/** $1,234.50; `worth unknown` without a price. */
export const drawDollars = (usd: number | null): string =>
  usd === null
    ? 'worth unknown'
    : `$${usd.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const drawAmount = (amount: number, symbol: string | null, usd: number | null = null): string => {
  const whole = amount.toLocaleString('en-US', { maximumFractionDigits: 9 });
  return `${whole} ${showable(symbol ?? 'units')}${usd === null ? '' : ` (${drawDollars(usd)})`}`;
};

/** 2025-09-01 12:00:00 UTC */
export const drawTime = (unixSeconds: number | null): string =>
  unixSeconds === null
    ? ''
    : `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

export const drawShare = (share: number | null): string =>
  share === null ? 'an unknown part' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

export const faint = (text: string): string => styleText('dim', text);
