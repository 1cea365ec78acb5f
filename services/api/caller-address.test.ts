import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createReadCallerAddress } from './caller-address.ts';

const read = (proxies: number | null, peer: string, ...forwarded: string[]) =>
  createReadCallerAddress(proxies)({
    socket: { remoteAddress: peer },
    headersDistinct: forwarded.length > 0 ? { 'x-forwarded-for': forwarded } : {},
  } as unknown as IncomingMessage);

test.each([
  ['a client of its own', null, '203.0.113.7', [], '203.0.113.7', false],
  ['what a client writes about itself', null, '203.0.113.7', ['10.0.0.1'], '203.0.113.7', false],
  ['a program on this machine', null, '127.0.0.1', [], '127.0.0.1', true],
  ['a proxy on this machine', null, '::ffff:127.0.0.1', ['6.6.6.6, 203.0.113.7'], '203.0.113.7', false],
  ['two proxies in front', 2, '10.0.0.2', ['6.6.6.6', '203.0.113.7, 10.0.0.1'], '203.0.113.7', false],
  ['fewer entries than proxies', 2, '10.0.0.2', ['203.0.113.7'], '203.0.113.7', false],
  ['a proxy that names nothing of use', 1, '10.0.0.2', ['unknown'], '10.0.0.2', false],
  ['no proxy where none is', 0, '127.0.0.1', ['203.0.113.7'], '127.0.0.1', true],
  ['IPv6, by its network', null, '2001:db8:1:2:3:4:5:6', [], '2001:db8:1:2::/64', false],
  ['IPv6 written short', null, '2001:0db8::7', [], '2001:db8:0:0::/64', false],
] as const)('%s is known by its address', (_, proxies, peer, forwarded, name, isLocal) => {
  expect(read(proxies, peer, ...forwarded)).toEqual({ name, isLocal });
});
