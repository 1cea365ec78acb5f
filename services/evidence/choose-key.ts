import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import type { Envelope } from './dsse.ts';

const PUBLISHED = z.object({
  keys: z.array(z.object({ keyid: z.string(), public_key: z.string() })).nonempty(),
});

/** The file holds no public key that can verify a case. */
export class KeyFormatError extends Error {
  readonly code = 'key_format';
  constructor(options?: ErrorOptions) {
    super('the key file is neither an ed25519 public key as PEM nor a spoor-keys.json', options);
    this.name = 'KeyFormatError';
  }
}

/**
 * The PEM by which an envelope is checked, from a PEM file or from `spoor-keys.json`. Of several, the one that a
 * signature names; whether it really signed, the check tells. Throws `KeyFormatError`.
 */
export const chooseKey = (text: string, envelope: Pick<Envelope, 'signatures'>): string => {
  try {
    const pem = text.trimStart().startsWith('{') ? ofPublished(text, envelope) : text;
    if (createPublicKey(pem).asymmetricKeyType === 'ed25519') return pem;
  } catch (cause) {
    throw new KeyFormatError({ cause });
  }
  throw new KeyFormatError();
};

const ofPublished = (text: string, { signatures }: Pick<Envelope, 'signatures'>): string => {
  const { keys } = PUBLISHED.parse(JSON.parse(text));
  const named = keys.find(({ keyid }) => signatures.some((signature) => signature.keyid === keyid));
  return (named ?? keys[0])?.public_key ?? '';
};
