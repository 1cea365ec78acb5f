import { keccak_256 } from '@noble/hashes/sha3.js';
import { decodeBase58 } from './base58.ts';
import type { Chain, ChainFamily } from './chain.ts';
import { isSignature } from './signature.ts';

/** As tables hold it: base58 on Solana, 0x and lower-case hex on EVM chains. */
export type Address = string;

export type AddressResult =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly message: string };

const SOLANA_BYTES = 32;
// 32 bytes take 32 (all zero) to 44 base58 characters: anything else need not be computed.
const SOLANA_LENGTH_MIN = 32;
const SOLANA_LENGTH_MAX = 44;
const EVM_FORM = /^0x[0-9a-fA-F]{40}$/;

/** The chain family whose form the text has, without further checks. Used to infer a missing `chain`. */
export const guessChainFamily = (text: string): ChainFamily => (text.startsWith('0x') ? 'evm' : 'solana');

/** Checks an address as people write it and gives the form tables hold. Mixed-case EVM addresses must pass EIP-55. */
export const parseAddress = (chain: Chain, text: string): AddressResult =>
  chain.family === 'solana' ? parseSolanaAddress(text) : parseEvmAddress(text, chain.name);

const parseSolanaAddress = (text: string): AddressResult => {
  const fits = text.length >= SOLANA_LENGTH_MIN && text.length <= SOLANA_LENGTH_MAX;
  if (fits && decodeBase58(text)?.length === SOLANA_BYTES) return { ok: true, address: text };
  return refused(
    isTransaction(text) ? IS_TRANSACTION : 'is not a Solana address: base58 of 32 bytes is expected',
  );
};

const parseEvmAddress = (text: string, chainName: string): AddressResult => {
  if (isTransaction(text)) return refused(IS_TRANSACTION);
  if (!EVM_FORM.test(text))
    return refused(`is not an address on ${chainName}: 0x and 40 hexadecimal digits are expected`);
  const address = text.toLowerCase();
  const digits = text.slice(2);
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  if (!oneCase && toChecksumAddress(address) !== text)
    return refused('has mixed case that fails its EIP-55 checksum: a digit is probably wrong');
  return { ok: true, address };
};

/** Of either family: whoever has only a hash may not know its chain. */
const isTransaction = (text: string): boolean => isSignature('evm', text) || isSignature('solana', text);

const IS_TRANSACTION =
  'is a transaction, not an address: POST /tx (spoor tx) tells what it moved and between whom';

const refused = (message: string): AddressResult => ({ ok: false, message });

/** The form answers give: EIP-55 on EVM chains, unchanged on Solana. `address` is one that tables hold. */
export const presentAddress = (chain: Chain, address: Address): string =>
  chain.family === 'evm' ? toChecksumAddress(address) : address;

/** EIP-55: a letter is upper case where the same nibble of the lower-case text's keccak-256 is 8 or more. */
const toChecksumAddress = (address: string): string => {
  const digits = address.slice(2);
  const hash = keccak_256(new TextEncoder().encode(digits));
  let text = '0x';
  for (let position = 0; position < digits.length; position += 1) {
    const byte = hash[position >> 1] ?? 0;
    const nibble = position % 2 === 0 ? byte >> 4 : byte & 0x0f;
    const digit = digits.charAt(position);
    text += nibble >= 8 ? digit.toUpperCase() : digit;
  }
  return text;
};
