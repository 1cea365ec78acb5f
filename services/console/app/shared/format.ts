/** "2025-09-02 12:08:00 UTC" */
export const formatTime = (unixSeconds: number): string =>
  `${new Date(unixSeconds * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

const SPANS = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
] as const;

/** "12 seconds", "443 days": the largest unit of which there are two. */
export const formatSpan = (seconds: number): string => {
  const [unit, name] = SPANS.find(([of]) => seconds >= 2 * of) ?? ([1, 'seconds'] as const);
  return `${Math.floor(seconds / unit).toLocaleString('en-US')} ${name}`;
};

const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const WHOLE_DOLLARS = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});

/** "$1,234" from a hundred dollars on, with cents below. "no price" where the worth is not known: that is not $0. */
export const formatUsd = (usd: number | null): string =>
  usd === null ? 'no price' : Math.abs(usd) >= 100 ? WHOLE_DOLLARS.format(usd) : DOLLARS.format(usd);

/** "12.5 %" */
export const formatShare = (share: number): string => {
  const percent = share * 100;
  const digits = percent === 0 || percent >= 99.95 || Number.isInteger(percent) ? 0 : percent < 1 ? 2 : 1;
  return `${percent.toFixed(digits)} %`;
};

/** Whole units of a raw amount, exact: 1500 with 3 decimals is "1.5". */
export const formatRaw = (amountRaw: bigint, decimals: number | null): string => {
  if (decimals === null) return `${amountRaw} raw`;
  const digits = (amountRaw < 0n ? -amountRaw : amountRaw).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return `${amountRaw < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
};

/** A number beside its exact raw amount, for reading. */
export const formatAmount = (amount: number): string =>
  amount.toLocaleString('en-US', { maximumSignificantDigits: 8 });

/** "Dk79N9…EWojp" */
export const shorten = (address: string): string =>
  address.length <= 16 ? address : `${address.slice(0, 6)}…${address.slice(-5)}`;

const NAME_MAX = 48;
// Characters that turn the direction of text, or are not seen at all, and by which a name can pretend to be another.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** A name that somebody else chose: cut, and with characters that hide or turn text written out. */
export const showName = (name: string): string => {
  const seen = name.replace(
    UNSEEN,
    (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
  const characters = [...seen];
  return characters.length <= NAME_MAX ? seen : `${characters.slice(0, NAME_MAX).join('')}…`;
};
