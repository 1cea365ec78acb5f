import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findPythonClients } from '../../testing/analyst-tools/find-tools.ts';
import { runToEnd } from '../../testing/engines/run-to-end.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { API_DOCUMENT } from './describe-api.ts';
import { SDK_TYPES } from './mark-origin.ts';

type Content = { readonly 'application/json'?: { readonly example?: unknown; readonly examples?: Named } };
type Named = Readonly<Record<string, { readonly value: unknown }>>;
type Route = {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};
const document = JSON.parse(readFileSync(API_DOCUMENT, 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
};

/** Each example of a route, with its place below the type of the route. */
const examplesOf = ({ requestBody, responses }: Route): readonly (readonly [string, unknown])[] => {
  const sides = [
    ["['requestBody']", requestBody?.content] as const,
    ...Object.entries(responses).map(
      ([status, { content }]) => [`['responses'][${status}]`, content] as const,
    ),
  ];
  return sides.flatMap(([place, content]) => {
    const { example, examples = {} } = content?.['application/json'] ?? {};
    const values = [
      ...(example === undefined ? [] : [example]),
      ...Object.values(examples).map((e) => e.value),
    ];
    return values.map((value) => [`${place}['content']['application/json']`, value] as const);
  });
};
const examples = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, route]) =>
    examplesOf(route).map(([place, value]) => ({ type: `paths['${path}']['${method}']${place}`, value })),
  ),
);

const python = await findPythonClients();
const missing = 'missing' in python ? ` (${python.missing})` : '';

/** What is any object in the document: the body of a next call, and an anchor as it was posted. */
const FREE = /\.(next_(\[\d+\])?\.body|anchor)\./;

test.skipIf('missing' in python)(
  `a client by openapi-python-client is made without a warning, and reads every field of every example${missing}`,
  async () => {
    if (!('run' in python)) throw new Error(python.missing);
    const report = await python.run([fileURLToPath(API_DOCUMENT), join(temporaryFolder(), 'spoor_client')]);
    const read = report
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { path: string; is_same: boolean; unread: string[] });
    expect(read).toHaveLength(examples.length);
    const wrong = read.map((one) => ({ ...one, unread: one.unread.filter((field) => !FREE.test(field)) }));
    expect(wrong.filter(({ is_same: isSame, unread }) => !isSame || unread.length > 0)).toEqual([]);
  },
);

test('types by openapi-typescript take every example, and refuse one with a field that is wrong', async () => {
  expect(examples.length).toBeGreaterThan(15);
  const folder = temporaryFolder();
  const check = (values: readonly { readonly type: string; readonly value: unknown }[]): Promise<string> => {
    const lines = values.map(
      ({ type, value }, at) => `export const example${at}: ${type} = ${JSON.stringify(value)};`,
    );
    const types = `import type { paths } from ${JSON.stringify(fileURLToPath(SDK_TYPES))};`;
    writeFileSync(join(folder, 'examples.ts'), [types, ...lines].join('\n'));
    const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--allowImportingTsExtensions'];
    return runToEnd('npx', [
      'tsc',
      '--ignoreConfig',
      ...options,
      '--module',
      'nodenext',
      join(folder, 'examples.ts'),
    ]);
  };
  await check(examples);
  const [first] = examples.filter(({ type }) => type.includes("['/analyze']['post']['responses'][200]"));
  const wrong = { type: first?.type ?? '', value: { ...(first?.value as object), funding: { address: 7 } } };
  await expect(check([wrong])).rejects.toThrow(/not assignable/);
});
