export type Login = { readonly username: string; readonly password: string };

/**
 * Splits a percent-encoded user and password off a URL: `fetch` accepts none in it, and error messages cannot
 * leak them then. Throws `URIError` when they cannot be decoded.
 */
export const splitLogin = (address: string): { url: URL; login: Login | null } => {
  const url = new URL(address);
  const login = { username: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  url.username = '';
  url.password = '';
  return { url, login: login.username === '' && login.password === '' ? null : login };
};

/** Whether a URL can be used, including its user and password. */
export const isHttpAddress = (text: string): boolean => {
  try {
    return ['http:', 'https:'].includes(splitLogin(text).url.protocol);
  } catch {
    return false;
  }
};

/** Sends the URL's user and password to a node as a header. */
export const loginHeaders = (login: Login | null): { authorization?: string } => {
  const pair = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return pair === null ? {} : { authorization: `Basic ${pair}` };
};
