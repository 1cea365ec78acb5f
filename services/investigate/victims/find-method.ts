import type { Chain } from '../model/chain.ts';
import { NATIVE } from '../model/movement.ts';
import { isOnCurve } from '../model/on-curve.ts';
import type { Method } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/** How it was taken; `code`: nobody's key allowed it, a contract or program paid by its own rules. */
export const findMethod = (chain: Chain, taking: Taking): Method | 'code' =>
  chain.family === 'evm' ? evmMethod(taking) : solanaMethod(taking);

/** Who sent the transaction signed for all of it. Else a token row names the spender, and a contract names nobody. */
const evmMethod = ({ payer, sender, rows }: Taking): Method | 'code' => {
  if (sender === payer) return 'transfer';
  return rows.some(({ authority }) => authority !== null) ? 'approval' : 'code';
};

/**
 * SolPhishHunter (arXiv 2505.04094) tells phishing by what its instructions do to accounts: `SetAuthority` hands an account
 * over, `CloseAccount` by another authority takes its coin, a delegate moves tokens, and the rest are transfers that the
 * victim signed. An account that no key can sign for belongs to a program.
 */
const solanaMethod = ({ payer, sender, rows }: Taking): Method | 'code' => {
  if (rows.some(({ kind }) => kind === 'owner_change')) return 'authority';
  if (sender === payer) return 'transfer';
  const foreign = rows.find(({ authority }) => authority !== null);
  if (foreign !== undefined) return foreign.family === NATIVE ? 'close_account' : 'delegate';
  return isOnCurve(payer) ? 'transfer' : 'code';
};
