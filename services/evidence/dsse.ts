import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** A signed payload, as https://github.com/secure-systems-lab/dsse (v1) has it. Base64 throughout. */
export type Envelope = {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
};

/** The bytes that are signed: type and payload with their lengths, so that neither can pass for a part of the other. */
export const preAuthentication = (payloadType: string, payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    payload,
  ]);

export type SigningKey = { readonly keyid: string; readonly privateKey: KeyObject };

/** Signs with ed25519, by each key. */
export const seal = (payloadType: string, payload: Buffer, keys: readonly SigningKey[]): Envelope => ({
  payloadType,
  payload: payload.toString('base64'),
  signatures: keys.map(({ keyid, privateKey }) => ({
    keyid,
    sig: sign(null, preAuthentication(payloadType, payload), privateKey).toString('base64'),
  })),
});

/** Whether one of the signatures is by this key (PEM). Throws where the key cannot be read. */
export const isSealedBy = ({ payloadType, payload, signatures }: Envelope, publicKeyPem: string): boolean => {
  const key = createPublicKey(publicKeyPem);
  const signed = preAuthentication(payloadType, Buffer.from(payload, 'base64'));
  return signatures.some(({ sig }) => verify(null, signed, key, Buffer.from(sig, 'base64')));
};
