import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { openDraft } from '../platform/replace-file.ts';
import { withFileLock } from '../platform/with-file-lock.ts';
import type { SigningKey } from './dsse.ts';

const FILE = 'evidence-keys.json';

const STORED = z.array(
  z.strictObject({
    keyid: z.string(),
    public_key: z.string(),
    private_key: z.string(),
    valid_from: z.int(),
    /** null: the one that signs. */
    valid_to: z.int().nullable(),
  }),
);
type Stored = z.infer<typeof STORED>[number];

/** A public key (PEM) and when it signed, unix seconds. */
export type PublishedKey = Omit<Stored, 'private_key'>;

export type SigningKeys = {
  readonly signing: SigningKey;
  readonly published: readonly PublishedKey[];
};

/**
 * The operator's ed25519 keys, in a file of the data folder that only its owner may read; the first one is made
 * where there is none, once for all processes that share the folder.
 */
export const openSigningKeys = async (dataFolder: string, nowUnixSeconds: number): Promise<SigningKeys> => {
  const path = join(dataFolder, FILE);
  const open = (): SigningKeys =>
    existsSync(path) ? toKeys(readStored(path)) : keep(path, [makeKey(nowUnixSeconds)]);
  return existsSync(path) ? open() : withFileLock(`${path}.lock`, open);
};

/** A new key signs from now on; the earlier ones stay published, so that what they signed can still be checked. */
export const rotateSigningKeys = async (dataFolder: string, nowUnixSeconds: number): Promise<SigningKeys> => {
  const path = join(dataFolder, FILE);
  return withFileLock(`${path}.lock`, () => {
    const earlier = existsSync(path) ? readStored(path) : [];
    const ended = earlier.map((key) => ({ ...key, valid_to: key.valid_to ?? nowUnixSeconds }));
    return keep(path, [...ended, makeKey(nowUnixSeconds)]);
  });
};

const readStored = (path: string): Stored[] => STORED.parse(JSON.parse(readFileSync(path, 'utf8')));

const makeKey = (nowUnixSeconds: number): Stored => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return {
    keyid: createHash('sha256').update(der).digest('hex'),
    public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    valid_from: nowUnixSeconds,
    valid_to: null,
  };
};

const keep = (path: string, keys: Stored[]): SigningKeys => {
  const draft = openDraft(path, { mode: 0o600 });
  try {
    draft.write(Buffer.from(`${JSON.stringify(keys, null, 2)}\n`));
    draft.keep();
  } catch (error) {
    draft.discard();
    throw error;
  }
  return toKeys(keys);
};

const toKeys = (keys: readonly Stored[]): SigningKeys => {
  const signing = keys.find(({ valid_to }) => valid_to === null);
  if (!signing) throw new RangeError('one of the keys signs');
  return {
    signing: { keyid: signing.keyid, privateKey: createPrivateKey(signing.private_key) },
    published: keys.map(({ private_key: _, ...published }) => published),
  };
};
