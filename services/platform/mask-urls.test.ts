import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskUrls } from './mask-urls.ts';

test.each([
  ['https://user:pass@host.example:8443/path', 'https://***@host.example:8443/path'],
  ['https://rpc.example/?api-key=abc&x=1', 'https://rpc.example/?api-key=***&x=***'],
  ['https://eth.example/v2/AbCdEf0123456789xyz', 'https://eth.example/v2/***'],
  ['http://127.0.0.1:8402/follow', 'http://127.0.0.1:8402/follow'],
  ['postgres://u:p@h/db', 'postgres://***@h/db'],
  ['http://u:p@host:notaport/x', 'http://***@host:notaport/x'],
  ["https://user:it's@host.example/path", 'https://***@host.example/path'],
  ['https://eth.example/v2/AbCdEf0123456789xyz:', 'https://eth.example/v2/***'],
  ['https://eth.example/eyJhbGciOi1NiJ9abc.eyJzdWIiOiIx', 'https://eth.example/***'],
])('%s is printed as %s', (url, masked) => {
  expect(maskUrls(`fetch failed: ${url} (ECONNREFUSED)`)).toBe(`fetch failed: ${masked} (ECONNREFUSED)`);
});

test('text without URLs stays as it is', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('://')),
      (text) => {
        expect(maskUrls(text)).toBe(text);
      },
    ),
  );
});

test('no password of any URL comes through', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9]{9,12}$/), fc.webUrl(), (secret, url) => {
      const withSecret = url.replace('://', `://user:${secret}PASS@`);
      expect(maskUrls(`before ${withSecret} after`)).not.toContain(`${secret}PASS`);
    }),
    { numRuns: 50 },
  );
});
