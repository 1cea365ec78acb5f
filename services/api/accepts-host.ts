import { isIP } from 'node:net';

/**
 * Whether a request names this service: its public host, its listening address, or an address of this machine. A
 * page of another site can make a browser send requests here under that site's name, but not under an IP address.
 */
export const createAcceptsHost = (names: readonly string[]): ((host: string) => boolean) => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    if (/[^\w.:[\]-]/.test(host)) return false;
    const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
    return name !== undefined && (known.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  };
};
