import type { AccountEvent } from '../accounts/account-codec.ts';
import type { Directory } from '../accounts/directory.ts';
import { createKey, hashKey, prefixOf } from '../accounts/key.ts';

/** A new key of an account, which is opened for it, in a directory that follows no log. */
export const issueKey = (
  directory: Directory,
  { accountId = 'a', keyId = 'k', atUnixMs = 0 } = {},
): string => {
  const key = createKey();
  const apply = (event: AccountEvent): void => directory.apply({ accountId, atUnixMs, event });
  apply({ type: 'AccountOpened', name: 'Example' });
  apply({ type: 'KeyIssued', keyId, name: 'server', prefix: prefixOf(key), hash: hashKey(key) });
  return key;
};
