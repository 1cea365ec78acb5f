import type { Socket } from 'node:net';
import { nameOfPeer, type Proxies } from './caller-address.ts';
import { createPlaces } from './places.ts';

/** Browsers and connection pools open some tens. */
export const CONNECTIONS_EACH_MAX = 256;

/** Of all peers that may be proxies: they stand for many, and each connection holds a descriptor. */
export const CONNECTIONS_PROXIED_MAX = 4_096;

/** Closes what one address, or all possible proxies together, open above their limit. */
export const createConnectionBound = (proxies: Proxies) => {
  const own = createPlaces({ all: Number.POSITIVE_INFINITY, each: CONNECTIONS_EACH_MAX });
  const proxied = createPlaces({ all: CONNECTIONS_PROXIED_MAX, each: CONNECTIONS_PROXIED_MAX });
  return (socket: Socket): void => {
    const name = nameOfPeer(socket, proxies);
    const leave = name === null ? proxied.take('') : own.take(name);
    if (leave === null) socket.destroy();
    else socket.once('close', leave);
  };
};
