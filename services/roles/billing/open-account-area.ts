import { createAskContractWallet } from '../../accounts/ask-contract-wallet.ts';
import { startSessions } from '../../accounts/sessions.ts';
import { createChallenges } from '../../accounts/sign-in-message.ts';
import type { AccountArea } from '../../api/account/sign-in.ts';
import { systemClock } from '../../platform/clock.ts';
import { CLOSE, type ServiceProcess } from '../service-process.ts';
import { openSecret } from '../store/open-secret.ts';
import type { Store } from '../store/open-store.ts';
import type { Billing } from './start-billing.ts';

/** null if the service does not know its public address: a wallet must see where it signs in. */
export const openAccountArea = async (
  { config, logger, closing, runs }: ServiceProcess,
  { log, registry, folder }: Store,
  billing: Billing | null,
): Promise<AccountArea | null> => {
  const { publicUrl: origin } = config;
  if (origin === null || billing === null || !runs('api')) return null;
  const onError = (err: unknown): void =>
    logger.error({ err }, 'reading the topic of sessions failed; trying again');
  const sessions = await startSessions({ log, registry, clock: systemClock, onError });
  closing('sessions', CLOSE.billing, () => sessions.stop());
  const secret = openSecret(folder, 'sign-in-secret', config.secret);
  // A contract may belong to somebody else on another chain, so only the chain where accounts are paid counts.
  const evm = config.x402?.networks.find(({ network }) => network.startsWith('eip155:'));
  const challenges = createChallenges(origin, secret, evm?.network.split(':')[1]);
  const askContractWallet = evm ? createAskContractWallet(evm.rpcUrl) : null;
  return { accounts: billing.accounts, sessions, challenges, origin, askContractWallet };
};
