/** What somebody pasted, as far as its form tells. */
export type Pasted =
  | { readonly what: 'nothing' }
  | { readonly what: 'address'; readonly family: 'evm' | 'solana'; readonly text: string }
  | { readonly what: 'transaction'; readonly family: 'evm' | 'solana'; readonly text: string }
  | { readonly what: 'unknown'; readonly text: string };

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';
const FORMS = [
  ['address', 'evm', /0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/],
  ['transaction', 'evm', /0x[0-9a-fA-F]{64}(?![0-9a-fA-F])/],
  ['transaction', 'solana', new RegExp(`(?<!\\w)${BASE58}{86,88}(?!\\w)`)],
  ['address', 'solana', new RegExp(`(?<!\\w)${BASE58}{32,44}(?!\\w)`)],
] as const;

/** Finds an address or a transaction in it, also within a link of an explorer. */
export const readPaste = (text: string): Pasted => {
  if (text.trim() === '') return { what: 'nothing' };
  for (const [what, family, form] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return { what, family, text: found[0] };
  }
  return { what: 'unknown', text: text.trim() };
};
