const WRAPPED_NATIVE = new Set([
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9',
]);

/** Mints of wrapped SOL, of the Token program and of Token-2022. */
export const isWrappedNative = (mint: string): boolean => WRAPPED_NATIVE.has(mint);
