import { isIP } from 'node:net';

/**
 * Whether a request was sent to a name of this service: its public one, the one it listens at, or one of the machine's own. A
 * page of another site can have a browser send requests here under that site's name, and not under an address.
 */
export const createAcceptsHost = (names: readonly string[]): ((host: string) => boolean) => {
  const known = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    if (/[^\w.:[\]-]/.test(host)) return false;
    const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '');
    return name !== undefined && (known.has(name) || isIP(name.replace(/^\[|\]$/g, '')) !== 0);
  };
};
