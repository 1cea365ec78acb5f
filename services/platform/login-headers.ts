import type { Login } from './split-login.ts';

/** Nodes take the name and password of their address as a header. */
export const loginHeaders = (login: Login | null): { authorization?: string } => {
  const pair = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  return pair === null ? {} : { authorization: `Basic ${pair}` };
};
