import { secp256k1 } from '@noble/curves/secp256k1';
import type { Address, Hex } from 'viem';
import { hashAuthorization, hexToBytes, keccak256 } from 'viem/utils';
import { BlockFormatError } from '../../block-format-error.ts';
import type { AddressBook } from '../address-book.ts';
import { type RawObject, readArray, readObject, readQuantity } from '../read-hex.ts';
import { type ControlDraft, draft } from './control-log.ts';

const NULL_ADDRESS = '0x0000000000000000000000000000000000000000';
/** A nonce has 64 bits, and the largest value is not allowed. */
const NONCE_END = 2n ** 64n - 1n;

type DelegationContext = { readonly tx: RawObject; readonly sender: string; readonly addresses: AddressBook };

/**
 * Wallets that run a contract's code from here on (EIP-7702), even if the transaction failed:
 * https://eips.ethereum.org/EIPS/eip-7702. Invalid signatures and those for another chain are left out. Only the
 * sender's nonce is known (`byHolder`): the chain may have skipped anybody else's authorization.
 */
export const findDelegations = ({ tx, sender, addresses }: DelegationContext): readonly ControlDraft[] => {
  const list = tx.authorizationList;
  if (list === undefined || list === null) return [];
  const found: ControlDraft[] = [];
  // The sender's nonce has already risen by one when the list is read, and rises with each of its own entries.
  let nonce = readQuantity(tx.nonce, 'nonce') + 1n;
  for (const raw of readArray(list, 'authorizationList')) {
    const signed = readAuthorization(raw, tx);
    if (signed === null) continue;
    const { authority, code } = signed;
    const byHolder = authority === sender;
    if (byHolder && signed.nonce !== nonce) continue;
    if (byHolder) nonce++;
    const party = code === NULL_ADDRESS ? null : addresses.find(code);
    found.push(draft({ kind: 'code_delegated', subject: authority, holder: authority, party, byHolder }));
  }
  return found;
};

type Signed = { readonly authority: string; readonly code: string; readonly nonce: bigint };

/** null if the chain skips it. */
const readAuthorization = (raw: unknown, tx: RawObject): Signed | null => {
  try {
    const authorization = readObject(raw, 'an authorization');
    const quantity = (field: string): bigint => readQuantity(authorization[field], field);
    const [chainId, nonce] = [quantity('chainId'), quantity('nonce')];
    const [r, s, yParity] = [quantity('r'), quantity('s'), quantity('yParity')];
    if (chainId !== 0n && chainId !== readQuantity(tx.chainId, 'chainId')) return null;
    if (nonce >= NONCE_END || yParity > 1n || !isAddress(authorization.address)) return null;
    const code = authorization.address.toLowerCase() as Address;
    // Both are exact: chain ids are small, and no wallet has reached a larger nonce.
    if (chainId > MAX_EXACT || nonce > MAX_EXACT) return null;
    const hash = hashAuthorization({ chainId: Number(chainId), nonce: Number(nonce), address: code });
    const authority = recover(hash, { r, s, yParity: Number(yParity) });
    return authority === null ? null : { authority, code, nonce };
  } catch (error) {
    if (!(error instanceof BlockFormatError)) throw error;
    return null;
  }
};

const MAX_EXACT = BigInt(Number.MAX_SAFE_INTEGER);

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value);

type Signature = { readonly r: bigint; readonly s: bigint; readonly yParity: number };

/** The signer; null if the signature is invalid or uses the upper form of `s` (EIP-2). */
const recover = (hash: Hex, { r, s, yParity }: Signature): string | null => {
  const { n } = secp256k1.CURVE;
  if (r === 0n || s === 0n || r >= n || s > n / 2n) return null;
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(yParity);
    const key = signature.recoverPublicKey(hexToBytes(hash)).toRawBytes(false);
    return `0x${keccak256(key.subarray(1)).slice(-40)}`;
  } catch {
    // No point of the curve has this x.
    return null;
  }
};
