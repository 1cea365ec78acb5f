import { expect, test } from 'vitest';
import { Directory } from './directory.ts';
import { createKey, hashKey, prefixOf } from './key.ts';

const key = createKey();
const issued = (keyId: string, hash = hashKey(key)) => ({
  accountId: 'a',
  atUnixMs: 1,
  event: { type: 'KeyIssued', keyId, name: 'server', prefix: prefixOf(key), hash } as const,
});
const revoked = (keyId: string) => ({
  accountId: 'a',
  atUnixMs: 2,
  event: { type: 'KeyRevoked', keyId } as const,
});

test('of keys that begin alike only the one that was sent opens', () => {
  const directory = new Directory();
  directory.apply(issued('other', hashKey(createKey())));
  expect(directory.find(key)).toBeNull();
  directory.apply(issued('sent'));
  expect(directory.find(key)?.id).toBe('sent');
});

test('a revocation holds also where it comes before its key, or the key comes again', () => {
  for (const events of [
    [revoked('k'), issued('k')],
    [issued('k'), revoked('k'), issued('k')],
  ]) {
    const directory = new Directory();
    for (const event of events) directory.apply(event);
    expect(directory.find(key)).toBeNull();
    expect(directory.keysOf('a')).toMatchObject([{ id: 'k', revokedUnixMs: 2 }]);
  }
});
