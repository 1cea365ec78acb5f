import type { Config } from '../platform/config/config.ts';
import { messageOf } from '../platform/message-of.ts';
import { showableLine } from '../platform/showable.ts';
import { openStore, placesOf, type Store, type StoreName } from '../roles/store/open-store.ts';

/** Opens a store for a command, and says on stderr, once each, what it waits for or tries again meanwhile. */
export const openToldStore = (config: Config, name: StoreName): Promise<Store> => {
  const told = new Set<string>();
  const onError = (error: unknown): void => {
    const reason = messageOf(error);
    if (!told.has(reason)) process.stderr.write(`${showableLine(`tried again: ${reason}`)}\n`);
    told.add(reason);
  };
  return openStore({ ...placesOf(config), name, onError });
};
