import type { Address } from '../model/address.ts';
import type { Chain } from '../model/chain.ts';
import type { PlacedControlEvent } from '../model/control-reader.ts';
import { NATIVE } from '../model/movement.ts';
import { isOnCurve } from '../model/on-curve.ts';
import type { Method } from './victims-report.ts';
import type { Taking } from './weigh-transaction.ts';

/** The grants that show how something was taken. */
export type Allowed = {
  /**
   * Whether many people approve the spender, as with markets and routers. What it took, the payer had signed
   * for off chain.
   */
  readonly isPublic: (spender: Address) => boolean;
  /** The payer's latest grant before the taking, to the address that signed for it. */
  readonly grantOf: (taking: Taking) => PlacedControlEvent | null;
  /** Why a payer with code counts as a wallet: its owners signed it, or its key had delegated to that code. */
  readonly actOf: (taking: Taking) => 'transfer' | 'code' | null;
};

/**
 * Solana only: coin left the payer although no instruction of the payer moved it. Either the program that
 * owns the wallet did it, or the payer was a second signer.
 */
export const mayBeHandedOver = (chain: Chain, { payer, sender, rows }: Taking): boolean =>
  chain.family === 'solana' &&
  sender !== payer &&
  rows.every(({ authority, kind }) => authority === null && kind !== 'owner_change');

/**
 * Determines how the asset was taken. `contract`: no key allowed it; a contract or program paid by its own rules.
 */
export const findMethod = (chain: Chain, taking: Taking, allowed?: Allowed): Method | 'contract' => {
  const method = chain.family === 'evm' ? evmMethod(taking) : solanaMethod(taking);
  const isSigned = method === 'transfer' && !mayBeHandedOver(chain, taking);
  if (allowed === undefined || isSigned) return method;
  if (method === 'contract') return allowed.actOf(taking) ?? method;
  const grant = allowed.grantOf(taking);
  if (method === 'approval') {
    if (taking.rows.some(({ authority }) => authority !== null && allowed.isPublic(authority)))
      return 'signed_order';
    return grant?.kind === 'permit' ? 'permit' : method;
  }
  const isHandedOver = grant?.kind === 'authority_changed' || grant?.kind === 'owner_assigned';
  return isHandedOver && grant.detail !== 'close' ? 'authority' : method;
};

/**
 * The sender of a transaction signed for all of it. Otherwise a token row names the spender, and a contract
 * names nobody.
 */
const evmMethod = ({ payer, sender, rows }: Taking): Method | 'contract' => {
  if (sender === payer) return 'transfer';
  return rows.some(({ authority }) => authority !== null) ? 'approval' : 'contract';
};

/**
 * Phishing is recognised by what instructions do to accounts (SolPhishHunter, arXiv 2505.04094):
 * `SetAuthority` hands an account over, `CloseAccount` by another authority takes its coin, and a delegate
 * moves tokens. The rest are transfers that the victim signed. An account that no key can sign for belongs to
 * a program.
 */
const solanaMethod = ({ payer, sender, rows }: Taking): Method | 'contract' => {
  if (rows.some(({ kind }) => kind === 'owner_change')) return 'authority';
  if (sender === payer) return 'transfer';
  const foreign = rows.find(({ authority }) => authority !== null);
  if (foreign !== undefined) return foreign.canonicalAsset === NATIVE ? 'close_account' : 'delegate';
  return isOnCurve(payer) ? 'transfer' : 'contract';
};
