import { createPublicKey, verify } from 'node:crypto';
import type { Hex } from 'viem';
import { recoverMessageAddress } from 'viem/utils';
import { decodeBase58 } from '../investigate/model/base58.ts';
import type { SigningWallet } from './sign-in-message.ts';

const EVM_SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const SOLANA_SIGNATURE = { characters: 88, bytes: 64 };

/** Whether the wallet signed the message: EIP-191 on EVM; ed25519 over the text, in base58, on Solana. */
export const isSignedBy = async (
  { family, address }: SigningWallet,
  message: string,
  signature: string,
): Promise<boolean> => {
  try {
    return family === 'evm'
      ? EVM_SIGNATURE.test(signature) &&
          (await recoverMessageAddress({ message, signature: signature as Hex })) === address
      : isSignedOnSolana(address, message, signature);
  } catch {
    // The signature is not a point of the curve.
    return false;
  }
};

const isSignedOnSolana = (address: string, message: string, signature: string): boolean => {
  if (signature.length > SOLANA_SIGNATURE.characters) return false;
  const [key, signed] = [decodeBase58(address), decodeBase58(signature)];
  if (key === null || signed?.length !== SOLANA_SIGNATURE.bytes) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
  return verify(null, Buffer.from(message), createPublicKey({ key: jwk, format: 'jwk' }), signed);
};
