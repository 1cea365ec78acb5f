import { address, getPublicKeyFromAddress, getTransactionDecoder, verifySignature } from '@solana/kit';
import type { PaymentRequirements } from '@x402/core/types';
import { authorizationTypes } from '@x402/evm';
import type { Hex } from 'viem';
import { isAddressEqual, recoverTypedDataAddress } from 'viem/utils';
import { isSolana } from '../is-solana.ts';
import { readAuthorization, type SentPayment } from './read-payment.ts';

/** `other`: signed by another key. Only a payer that is a contract may accept that. */
export type SignedBy = 'payer' | 'nobody' | 'other' | 'unknown';

/** A key's signature: r, s and v. Contracts accept longer ones with instructions for their check. */
const KEY_SIGNATURE_LENGTH = 132;

/** Who signed a payment, as far as that can be told offline. */
export const findSigner = (sent: SentPayment, requirements: PaymentRequirements): Promise<SignedBy> =>
  isSolana(requirements.network) ? findSolanaSigner(sent) : findEvmSigner(sent, requirements);

const findSolanaSigner = async ({ payload, payer }: SentPayment): Promise<SignedBy> => {
  const transaction = getTransactionDecoder().decode(
    Buffer.from(payload.payload.transaction as string, 'base64'),
  );
  const signer = address(payer);
  const signature = transaction.signatures[signer];
  if (!signature) return 'nobody';
  const key = await getPublicKeyFromAddress(signer);
  return (await verifySignature(key, signature, transaction.messageBytes)) ? 'payer' : 'nobody';
};

const findEvmSigner = async (
  { payload, payer }: SentPayment,
  { network, asset, extra }: PaymentRequirements,
): Promise<SignedBy> => {
  const signature = payload.payload.signature as Hex;
  const { name, version } = extra;
  if (signature.length !== KEY_SIGNATURE_LENGTH || typeof name !== 'string' || typeof version !== 'string')
    return 'unknown';
  const { from, to, value, validAfter, validBefore, nonce } = readAuthorization(payload);
  const signer = await recoverTypedDataAddress({
    domain: { name, version, chainId: Number(network.split(':')[1]), verifyingContract: asset as Hex },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...{ from: from as Hex, to: to as Hex, nonce: nonce as Hex },
      ...{ value: BigInt(value), validAfter: BigInt(validAfter), validBefore: BigInt(validBefore) },
    },
    signature,
  }).catch(() => null);
  return signer !== null && isAddressEqual(signer, payer as Hex) ? 'payer' : 'other';
};
