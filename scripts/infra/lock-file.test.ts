import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Entry = {
  readonly name?: string;
  readonly hasInstallScript?: boolean;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
};

const { packages } = JSON.parse(
  readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
) as { packages: Record<string, Entry> };

/** For machines that nobody here has; the registry at hand did not serve them when they were locked. */
const NOT_SERVED = [
  'node_modules/@chdb/lib-darwin-arm64',
  'node_modules/@chdb/lib-darwin-x64',
  'node_modules/@chdb/lib-linux-arm64-gnu',
  'node_modules/litesvm-darwin-arm64',
  'node_modules/litesvm-darwin-x64',
  'node_modules/litesvm-linux-arm64-gnu',
  'node_modules/litesvm-linux-arm64-musl',
  'node_modules/litesvm-linux-x64-musl',
];

test('every package is installed only as it was when it was locked', () => {
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
  expect(installed.length).toBeGreaterThan(500);
  const open = installed.filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==/.test(integrity));
  expect(open.map(([path]) => path).filter((path) => !NOT_SERVED.includes(path))).toEqual([]);
});

test('no package comes from anywhere but a registry', () => {
  for (const { resolved = 'https://' } of Object.values(packages)) expect(resolved).toMatch(/^https:\/\//);
});

/** Each was read: they fetch or build a binary, or print; none reports to anybody. */
const SCRIPTS = [
  ...['@foundry-rs/anvil', '@swc/core', 'chdb', 'cpu-features', 'esbuild', 'node', 'protobufjs', 'ssh2'],
];

test('an install runs no script but those that were read, and nothing that reports', () => {
  const running = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = running.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.filter((name) => !SCRIPTS.includes(name))).toEqual([]);
  // swagger-ui-dist asks for it; an empty package stands in.
  const reporting = Object.entries(packages).filter(([path]) => path.endsWith('/@scarf/scarf'));
  expect(reporting.map(([, { name }]) => name)).toEqual(['empty-npm-package']);
});
