import { createSpoor, type Spoor } from '../../sdk/create-spoor.ts';

const NAME = 'spoor-key';

/** The key of this tab, or the one kept on this computer; null without any. */
export const readKey = (): string | null => sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME);

/** Keeps a key for this tab, and beyond it only if asked. null forgets it everywhere. */
export const keepKey = (key: string | null, isForLong = false): void => {
  sessionStorage.removeItem(NAME);
  localStorage.removeItem(NAME);
  if (key !== null) (isForLong ? localStorage : sessionStorage).setItem(NAME, key);
};

/** The typed client of this same service, with the key of this tab. A paid call is never repeated by itself. */
export const openClient = (): Spoor => {
  const key = readKey();
  return createSpoor({ url: location.origin, ...(key !== null && { key }), retries: 0 });
};
