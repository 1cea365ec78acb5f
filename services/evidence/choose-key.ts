import { z } from 'zod';
import type { Envelope } from './dsse.ts';

const PUBLISHED = z.object({ keys: z.array(z.object({ keyid: z.string(), public_key: z.string() })) });

/**
 * The PEM by which an envelope is checked, from a PEM file or from `spoor-keys.json`. Of several, the one that a
 * signature names; whether it really signed, the check tells. Throws where the text is neither.
 */
export const chooseKey = (text: string, { signatures }: Pick<Envelope, 'signatures'>): string => {
  if (!text.trimStart().startsWith('{')) return text;
  const { keys } = PUBLISHED.parse(JSON.parse(text));
  const named = keys.find(({ keyid }) => signatures.some((signature) => signature.keyid === keyid));
  const chosen = named ?? keys.at(-1);
  if (!chosen) throw new RangeError('the file names no key');
  return chosen.public_key;
};
