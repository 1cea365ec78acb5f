import { privateKeyToAccount } from 'viem/accounts';

/** A wallet that can sign in. */
export type Wallet = { readonly address: string; sign(message: string): Promise<string> };

export const evmWallet = (): Wallet => {
  const { address, signMessage } = privateKeyToAccount(`0x${'42'.repeat(32)}`);
  return { address, sign: (message: string): Promise<string> => signMessage({ message }) };
};
