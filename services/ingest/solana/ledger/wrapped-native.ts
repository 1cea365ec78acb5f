import { TOKEN_ACCOUNT_BYTES } from './block-knowledge.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const WRAPPED_NATIVE = new Set([WRAPPED_SOL, '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9']);

/** Mints of wrapped SOL, of the Token program and of Token-2022. */
export const isWrappedNative = (mint: string): boolean => WRAPPED_NATIVE.has(mint);

/** The size of an account of that mint; null if it varies: Token-2022 accounts may have extensions. */
export const spaceOfWrapped = (mint: string | null): number | null =>
  mint === WRAPPED_SOL ? TOKEN_ACCOUNT_BYTES : null;
