import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ChainFamily } from '../investigate/model/chain.ts';

/** The signing wallet: an address as answers show it, EIP-55 on EVM. */
export type SigningWallet = { readonly family: ChainFamily; readonly address: string };

type Challenge = { readonly message: string; readonly expiresUnixMs: number };

/** The signed message is a recent challenge of this service. */
export type ReadChallenge = SigningWallet & { readonly nonce: string; readonly issuedUnixMs: number };

/**
 * Challenges in the form of EIP-4361, which Solana wallets use, too. Nothing is stored: the nonce is an HMAC of
 * the message. The sessions ensure that each is used once.
 */
export type Challenges = {
  issue(wallet: SigningWallet, nowUnixMs: number): Challenge;
  /** null if the message is not exactly ours, has expired, or comes from the future. */
  read(message: string, nowUnixMs: number): ReadChallenge | null;
};

const LIFETIME_MS = 10 * 60_000;
/** How far the clocks of processes behind one address may differ. */
export const CLOCKS_APART_MS = 60_000;
/** After this time no process accepts a challenge, whatever its clock says. */
export const USABLE_MS = LIFETIME_MS + CLOCKS_APART_MS;
const RANDOM_BYTES = 16;
const STATEMENT = 'Sign in to see your account and its keys. This moves no money.';
const MAINNET = '1';

/**
 * `origin`: the service's address as users see it. `secret`: shared by the processes behind it. `evmChainId`: where
 * wallets that are contracts are looked for.
 */
export const createChallenges = (origin: URL, secret: Uint8Array, evmChainId = MAINNET): Challenges => {
  const families = {
    evm: { name: 'Ethereum', chainId: evmChainId },
    solana: { name: 'Solana', chainId: 'mainnet' },
  } as const satisfies Record<ChainFamily, object>;
  const write = ({ family, address }: SigningWallet, nonce: string, issuedUnixMs: number): string => {
    const { name, chainId } = families[family];
    return [
      `${origin.host} wants you to sign in with your ${name} account:`,
      address,
      '',
      STATEMENT,
      '',
      `URI: ${origin.origin}`,
      'Version: 1',
      `Chain ID: ${chainId}`,
      `Nonce: ${nonce}`,
      `Issued At: ${new Date(issuedUnixMs).toISOString()}`,
      `Expiration Time: ${new Date(issuedUnixMs + LIFETIME_MS).toISOString()}`,
    ].join('\n');
  };
  /** A random part, then an HMAC of the message without the nonce. */
  const seal = (random: string, wallet: SigningWallet, issuedUnixMs: number): string =>
    random +
    createHmac('sha256', secret)
      .update(write(wallet, random, issuedUnixMs))
      .digest('hex');

  return {
    issue: (wallet, nowUnixMs) => {
      const nonce = seal(randomBytes(RANDOM_BYTES).toString('hex'), wallet, nowUnixMs);
      return { message: write(wallet, nonce, nowUnixMs), expiresUnixMs: nowUnixMs + LIFETIME_MS };
    },
    read: (message, nowUnixMs) => {
      const address = message.split('\n', 2)[1] ?? '';
      const nonce = /^Nonce: ([0-9a-f]{96})$/m.exec(message)?.[1] ?? '';
      const issuedUnixMs = Date.parse(/^Issued At: (\d{4}-\d\d-\d\dT\S{13})$/m.exec(message)?.[1] ?? '');
      if (nonce === '' || Number.isNaN(issuedUnixMs)) return null;
      const wallet: SigningWallet = { family: address.startsWith('0x') ? 'evm' : 'solana', address };
      if (write(wallet, nonce, issuedUnixMs) !== message) return null;
      const sealed = seal(nonce.slice(0, 2 * RANDOM_BYTES), wallet, issuedUnixMs);
      if (!timingSafeEqual(Buffer.from(sealed), Buffer.from(nonce))) return null;
      const isCurrent = issuedUnixMs <= nowUnixMs + CLOCKS_APART_MS && nowUnixMs < issuedUnixMs + LIFETIME_MS;
      return isCurrent ? { ...wallet, nonce, issuedUnixMs } : null;
    },
  };
};
