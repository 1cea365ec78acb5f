import { createHash } from 'node:crypto';
import type { SigningWallet } from './sign-in-message.ts';

/** The id of a wallet's own account. It is derived from the wallet and has the form of a UUID of version 8. */
export const accountOfWallet = ({ family, address }: SigningWallet): string => {
  const hash = createHash('sha256').update(`${family}:${address}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x80;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};

/** Whether an account belongs to a wallet. Accounts that an operator opens have UUIDs of version 4. */
export const isOfWallet = (accountId: string): boolean => accountId[14] === '8';
