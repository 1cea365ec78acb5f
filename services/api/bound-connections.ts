import type { Socket } from 'node:net';
import { nameOfPeer, type Proxies } from './caller-address.ts';
import { createPlaces } from './places.ts';

/** Browsers and connection pools open some tens. */
export const CONNECTIONS_EACH_MAX = 256;

/**
 * Closes what one address opens above its limit, so that it does not take the places of others. Peers that may be
 * proxies are not bounded: they stand for many.
 */
export const createConnectionBound = (proxies: Proxies) => {
  const places = createPlaces({ all: Number.POSITIVE_INFINITY, each: CONNECTIONS_EACH_MAX });
  return (socket: Socket): void => {
    const name = nameOfPeer(socket, proxies);
    if (name === null) return;
    const leave = places.take(name);
    if (leave === null) socket.destroy();
    else socket.once('close', leave);
  };
};
