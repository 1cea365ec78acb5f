import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { CONNECTIONS_EACH_MAX, CONNECTIONS_PROXIED_MAX, createConnectionBound } from './bound-connections.ts';

class Line extends EventEmitter {
  isCut = false;
  readonly remoteAddress: string;
  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }
  destroy(): void {
    this.isCut = true;
  }
}

const open = (bound: (socket: Socket) => void, remoteAddress: string): Line => {
  const line = new Line(remoteAddress);
  bound(line as unknown as Socket);
  return line;
};

test.each([
  ['an address', null, '203.0.113.7', CONNECTIONS_EACH_MAX],
  ['this machine where no proxy is', 0, '127.0.0.1', CONNECTIONS_EACH_MAX],
  ['this machine, which may be a proxy', null, '127.0.0.1', CONNECTIONS_PROXIED_MAX],
  ['the proxies that are told of', 2, '10.0.0.2', CONNECTIONS_PROXIED_MAX],
] as const)(
  '%s has no more connections than its bound, and gets closed ones back',
  (_, proxies, peer, most) => {
    const bound = createConnectionBound(proxies);
    const [first, ...others] = Array.from({ length: most }, () => open(bound, peer));
    expect([first, ...others].filter((line) => line?.isCut)).toEqual([]);
    expect(open(bound, peer).isCut).toBe(true);
    first?.emit('close');
    expect(open(bound, peer).isCut).toBe(false);
    expect(open(bound, peer).isCut).toBe(true);
  },
);
