export type Login = { readonly username: string; readonly password: string };

/**
 * Takes user and password, which stand percent-encoded in it, out of an address: `fetch` takes none with them, and no error
 * message can carry them then. Throws `URIError` where they cannot be decoded.
 */
export const splitLogin = (address: string): { url: URL; login: Login | null } => {
  const url = new URL(address);
  const login = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  url.username = '';
  url.password = '';
  return { url, login: login.username === '' && login.password === '' ? null : login };
};

/** Whether an address can be used, user and password included. */
export const isHttpAddress = (text: string): boolean => {
  try {
    return ['http:', 'https:'].includes(splitLogin(text).url.protocol);
  } catch {
    return false;
  }
};

/** Nodes take the name and password of their address as a header. */
export const loginHeaders = (login: Login | null): { authorization?: string } => {
  const pair = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return pair === null ? {} : { authorization: `Basic ${pair}` };
};
