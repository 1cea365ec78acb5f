import { expect, test } from 'vitest';
import { createRedactor } from './source-error.ts';

test.each([
  ['https://node.example/v2/abc%def0123', 'abc%def0123'],
  ['https://node.example/?key=0123456%25', '0123456%'],
  ['https://node.example/?key=0123456%', '0123456%'],
  ['https://user:p%40ssw0rd@node.example/', 'p@ssw0rd'],
  ['https://node.example/v2/%E4%zz-0123', '%E4%zz-0123'],
])('of %s nothing that can be a secret is shown, however "%" is written in it', (url, secret) => {
  const redact = createRedactor(url);
  expect(redact(`no such key: ${secret}, at ${url} or node.example`)).toBe('no such key: …, at … or …');
});
