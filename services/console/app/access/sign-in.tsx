import { useState } from 'react';
import { Failed } from '../shared/call.tsx';
import { askWallet, findWallets, type Wallet } from './wallets.ts';

/** Signs in with a wallet of the browser. The account is the wallet's; the key is made for this tab. */
export const SignIn = ({ onKey }: { onKey: (key: string) => void }) => {
  const [error, setError] = useState<unknown>(null);
  const wallets = findWallets();
  const sign = async (wallet: Wallet): Promise<void> => {
    setError(null);
    try {
      onKey(await askWallet(wallet));
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <section>
      <h2>Sign in with a wallet</h2>
      {wallets.length === 0 ? (
        <p>This browser has no wallet of Solana or Ethereum that can sign.</p>
      ) : (
        wallets.map((wallet) => (
          <button key={wallet.name} type="button" onClick={() => void sign(wallet)}>
            {wallet.name}
          </button>
        ))
      )}
      <p className="quiet">The wallet signs a text. It pays nothing and moves nothing.</p>
      {error !== null && <Failed error={error} />}
    </section>
  );
};
