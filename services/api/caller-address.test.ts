import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { createReadCallerAddress } from './caller-address.ts';

const read = (proxies: number | null, peer: string, ...forwarded: string[]) =>
  createReadCallerAddress(proxies)({
    socket: { remoteAddress: peer },
    headersDistinct: forwarded.length > 0 ? { 'x-forwarded-for': forwarded } : {},
    headers: {},
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

test.each([
  ['asks localhost', null, { host: 'localhost:8402' }, true],
  ['asks an address', null, { host: '127.0.0.1:8402' }, true],
  ['asks an IPv6 address', null, { host: '[::1]:8402' }, true],
  ['asks the public name', null, { host: 'spoor.example' }, false],
  ['comes by a proxy that says so', null, { host: '127.0.0.1:8402', via: '1.1 nginx' }, false],
  ['names its client in another header', null, { 'x-real-ip': '203.0.113.7' }, false],
  ['comes where one proxy is told of', 1, { host: '127.0.0.1:8402' }, false],
] as const)(
  'whatever reaches this machine from itself and %s is bounded like one address unless it is a program here',
  (_, proxies, headers, isLocal) => {
    const request = { socket: { remoteAddress: '127.0.0.1' }, headersDistinct: {}, headers };
    expect(createReadCallerAddress(proxies)(request as unknown as IncomingMessage)).toEqual({
      name: '127.0.0.1',
      isLocal,
    });
  },
);
