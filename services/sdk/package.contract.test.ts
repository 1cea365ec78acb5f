import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { programVersion } from '../platform/program-version.ts';
import { runToEnd } from '../testing/engines/run-to-end.ts';
import { ANN } from '../testing/open-billed-api.ts';
import { openIdempotentApi } from '../testing/open-idempotent-api.ts';
import { launcher } from '../testing/run-program.ts';

const SDK = import.meta.dirname;
const BROWSER_SCOPE = join(SDK, '../testing/ask-in-browser-scope.mjs');
const TSC = join(SDK, '../../node_modules/.bin/tsc');

/** A page's or a program's own module. */
const ASK = `
import { createSpoor } from 'spoor-sdk';
import { followOn } from 'spoor-sdk/follow-on';
import { SpoorError } from 'spoor-sdk/spoor-error';

export default async (url, key) => {
  const spoor = createSpoor({ url, key, retries: 1 });
  const trails = [];
  for await (const trail of followOn(spoor, { address: '${ANN}', chain: 'ethereum' })) trails.push(trail);
  const refused = await spoor.follow({ address: 'nobody' }).catch((error) => error);
  return { hops: trails[0].hops.length, code: refused instanceof SpoorError ? refused.code : String(refused) };
};
`;
const RUN =
  "import ask from './ask.js';\nconsole.log(JSON.stringify(await ask(...process.argv.slice(2))));\n";
const TYPED = `
import { createSpoor, type Trail } from 'spoor-sdk';
const spoor = createSpoor({ url: 'http://127.0.0.1:1', key: 'key' });
const trail: Promise<Trail> = spoor.follow({ address: 'A', chain: 'ethereum' });
export const hops: Promise<string> = trail.then(({ hops }) => hops[0]?.amount_raw ?? '');
// @ts-expect-error a chain that no service has
spoor.follow({ address: 'A', chain: 'dogecoin' });
`;

/** Another project, which has installed the packed package. */
const project = mkdtempSync(join(tmpdir(), 'spoor-sdk-'));
afterAll(() => rmSync(project, { recursive: true, force: true }));
let files: readonly string[] = [];

beforeAll(async () => {
  const quiet = ['--silent', '--no-audit', '--no-fund'];
  const packed = await runToEnd('npm', ['pack', '--json', '--silent', '--pack-destination', project], SDK);
  const [{ filename, files: listed }] = JSON.parse(packed.slice(packed.indexOf('[\n')));
  files = listed.map(({ path }: { path: string }) => path);
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  await runToEnd('npm', ['install', ...quiet, '--prefer-offline', join(project, filename)], project);
  for (const [name, text] of Object.entries({ 'ask.js': ASK, 'run.js': RUN, 'typed.ts': TYPED }))
    writeFileSync(join(project, name), text);
});

const MODULES = ['--experimental-vm-modules', '--experimental-import-meta-resolve'];
const ANSWER = { hops: 1, code: 'invalid_request' };

test('the package has JavaScript and its types, and no TypeScript to run, in the version of the service', () => {
  expect(files).toContain('dist/create-spoor.js');
  expect(files.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([]);
  const { version, dependencies } = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8'));
  expect(version).toBe(programVersion());
  const root = JSON.parse(readFileSync(join(SDK, '../../package.json'), 'utf8'));
  expect(root.dependencies).toMatchObject(dependencies);
});

const nodes: readonly (readonly [string, string])[] = [
  ['the Node of this project', process.execPath],
  ['the Node of this machine, which is older', launcher()?.[0] ?? ''],
];
test.each(nodes.filter(([, node]) => node !== ''))(
  'a program of another project asks with it on %s',
  async (_, node) => {
    await using service = await openIdempotentApi();
    const args = [join(project, 'run.js'), service.api.url, service.key];
    expect(JSON.parse(await runToEnd(node, args))).toEqual(ANSWER);
  },
);

test('it asks with nothing but what every browser has', async () => {
  await using service = await openIdempotentApi();
  const args = ['--no-warnings', ...MODULES, BROWSER_SCOPE];
  args.push(join(project, 'ask.js'), service.api.url, service.key);
  expect(JSON.parse(await runToEnd(process.execPath, args))).toEqual(ANSWER);
});

test.each(['nodenext', 'preserve'])(
  'its types are whole in a project whose modules are %s',
  async (module) => {
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', '', '--lib', 'es2022,dom'];
    const target = ['--target', 'es2022', '--module', module, '--ignoreConfig'];
    await runToEnd(TSC, [...strict, ...target, join(project, 'typed.ts')], project);
  },
);
