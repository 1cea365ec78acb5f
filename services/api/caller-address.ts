import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';

/** Where a request comes from. */
export type CallerAddress = {
  /** The address that limits count by. For IPv6 it is the network, because one machine owns all of it. */
  readonly name: string;
  /** A program on this machine. False for what a proxy here may have handed on, from anybody. */
  readonly isLocal: boolean;
};

export type ReadCallerAddress = (request: IncomingMessage) => CallerAddress;

/** How many trusted proxies are in front; null: one, if a program on this machine says so. */
export type Proxies = number | null;

/**
 * `proxies`: how many trusted proxies add to X-Forwarded-For. null: one, if a program on this machine sends the
 * header. Entries before theirs may come from the client.
 */
export const createReadCallerAddress =
  (proxies: Proxies): ReadCallerAddress =>
  ({ socket, headersDistinct, headers }) => {
    const peer = plain(socket.remoteAddress ?? '');
    const named = (headersDistinct['x-forwarded-for'] ?? []).flatMap((line) => line.split(','));
    const isLoopback = isLoopbackAddress(peer);
    const trusted = proxies ?? (isLoopback && named.length > 0 ? 1 : 0);
    const forwarded = trusted === 0 ? undefined : plain(named.at(-Math.min(trusted, named.length)) ?? '');
    const address = forwarded && isIP(forwarded) ? forwarded : peer;
    const isLocal = trusted === 0 && isLoopback && !isHandedOn(headers);
    return { name: networkOf(address), isLocal };
  };

/** What proxies add. */
const HANDED_ON = ['via', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * Whether a proxy that names no client handed it on: by what proxies add, or because it was sent to a name. A program
 * on this machine asks `localhost` or an address.
 */
const isHandedOn = (headers: IncomingHttpHeaders): boolean => {
  if (HANDED_ON.some((name) => headers[name] !== undefined)) return true;
  const host = URL.parse(`http://${headers.host ?? 'localhost'}`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return host !== 'localhost' && isIP(host) === 0;
};

/** Who opened a connection, in the same names; null if it may be a proxy, which stands for many. */
export const nameOfPeer = ({ remoteAddress = '' }: Socket, proxies: Proxies): string | null => {
  const peer = plain(remoteAddress);
  return proxies === 0 || (proxies === null && !isLoopbackAddress(peer)) ? networkOf(peer) : null;
};

export const isLoopbackAddress = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));

/** An IPv4 address on an IPv6 socket is written as IPv4. */
const plain = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');

/** The network that a caller probably owns as a whole, by the name of its address: 256 addresses, or an IPv6 /48. */
export const networkAround = (name: string): string =>
  name.includes(':') ? name.split(':').slice(0, 3).join(':') : name.split('.').slice(0, 3).join('.');

const networkOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [before = '', after] = address.split('::');
  const left = before === '' ? [] : before.split(':');
  const right = after ? after.split(':') : [];
  const zeros = after === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
