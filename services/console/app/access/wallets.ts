import { base58 } from '@scure/base';
import { send } from '../shared/send.ts';

/** A wallet of the browser that can sign a text. */
export type Wallet = {
  readonly name: string;
  readonly connect: () => Promise<string>;
  readonly sign: (message: string, address: string) => Promise<string>;
};

/** What extensions of browsers put on the page (EIP-1193, and the Solana wallets alike). */
type Injected = {
  readonly ethereum?: {
    readonly request: (call: { method: string; params?: readonly unknown[] }) => Promise<unknown>;
  };
  readonly solana?: {
    readonly connect: () => Promise<{ readonly publicKey: { toString(): string } }>;
    readonly signMessage: (bytes: Uint8Array) => Promise<{ readonly signature: Uint8Array }>;
  };
};

export const findWallets = (page: Injected = globalThis as Injected): readonly Wallet[] => {
  const { ethereum, solana } = page;
  const wallets: Wallet[] = [];
  if (solana !== undefined)
    wallets.push({
      name: 'Solana wallet',
      connect: async () => (await solana.connect()).publicKey.toString(),
      sign: async (message) =>
        base58.encode((await solana.signMessage(new TextEncoder().encode(message))).signature),
    });
  if (ethereum !== undefined)
    wallets.push({
      name: 'Ethereum wallet',
      connect: async () => {
        const accounts = (await ethereum.request({ method: 'eth_requestAccounts' })) as readonly string[];
        const [address] = accounts;
        if (address === undefined) throw new Error('the wallet named no account');
        return address;
      },
      sign: async (message, address) =>
        String(await ethereum.request({ method: 'personal_sign', params: [message, address] })),
    });
  return wallets;
};

/** Signs in and makes a key for this tab. Throws `SpoorError`, and what the wallet throws. */
export const askWallet = async (wallet: Wallet): Promise<string> => {
  const address = await wallet.connect();
  const { message } = await send<{ message: string }>('POST', '/account/challenge', { address });
  await send('POST', '/account/session', { message, signature: await wallet.sign(message, address) });
  const { key } = await send<{ key: string }>('POST', '/account/keys', { name: 'console' });
  return key;
};
