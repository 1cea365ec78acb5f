import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { API_GUIDE, describeApi, readExamples } from './describe-api.ts';
import { choicesOf, type Schema } from './field-list.ts';
import { UNITS } from './fields.ts';
import { showExample } from './show-example.ts';

type Route = {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};
const { components, paths } = JSON.parse(JSON.stringify(describeApi(readExamples()))) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
};
const guide = readFileSync(API_GUIDE, 'utf8');

/** Rows of the table below a text of the guide, up to the next heading or mark. */
const tableBelow = (text: string): readonly (readonly string[])[] => {
  const start = guide.indexOf(text);
  if (start < 0) return [];
  const [below = ''] = guide.slice(start + text.length).split(/\n#|\n<!--/);
  return [...below.matchAll(/^\|(`.*)\|(.*?)\|(.*)\|$/gm)].map((row) => row.slice(1));
};
const shared = tableBelow('<!-- shared -->');

/** What a table says of a field, which other fields may share; a shared field is explained in the list of these. */
const findMeaning = (table: readonly (readonly string[])[], path: string): string | undefined => {
  const row = table.find(([names = '']) => namesIn(names).includes(path));
  if (row?.[2] !== '[shared](#shared)') return row && `${row[1]} ${row[2]}`;
  const name = path.split('.').at(-1) ?? '';
  return findMeaning(shared, name);
};

/** `in/out.usd` stands for both sides. */
const namesIn = (names: string): readonly string[] =>
  [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) =>
    name
      .split('.')
      .reduce<readonly string[]>(
        (paths, step) =>
          step.split('/').flatMap((side) => paths.map((path) => (path === '' ? side : `${path}.${side}`))),
        [''],
      ),
  );

/** Every field at any depth with what it means; what lies behind a reference has a table of its own. */
const fieldsOf = (schema: Schema, at = ''): readonly (readonly [path: string, meaning: string])[] =>
  [schema, ...choicesOf(schema), ...(schema.items ? [schema.items] : [])].flatMap((each) =>
    Object.entries(each.properties ?? {}).flatMap(([name, field]) => {
      const mark = each.required?.includes(name) ? '' : '?';
      const own = [`${at}${name}${mark}`, field.description ?? ''] as const;
      return [own, ...fieldsOf(field, `${at}${name}.`)];
    }),
  );

const untold = (schema: Schema, heading: string): readonly string[] => {
  const table = tableBelow(heading);
  return fieldsOf(schema).flatMap(([path, meaning]) => {
    const told = findMeaning(table, path);
    const sentences = UNITS.reduce(
      (text, { unit, sentence }) => (told?.includes(unit) ? text.replace(sentence, '') : text),
      meaning,
    );
    const isTold = told?.includes(sentences.replace(/ +/g, ' ').trim().replaceAll('|', '\\|'));
    return isTold ? [] : [`${heading} ${path}: ${meaning}`];
  });
};

test('the guide for callers explains every field of every request', () => {
  const routes = Object.values(paths).flatMap((methods) => Object.values(methods));
  for (const id of ['follow', 'trace', 'analyze', 'insiders', 'victims']) {
    const route = routes.find(({ operationId }) => operationId === id);
    const schema = route?.requestBody?.content['application/json'].schema ?? {};
    expect(fieldsOf(schema).length).toBeGreaterThan(1);
    expect(untold(schema, `<!-- body ${id} -->`)).toEqual([]);
  }
});

test('the guide for callers explains every field of every answer with its unit and what null means', () => {
  const all = Object.entries(components.schemas);
  expect(all.flatMap(([, schema]) => fieldsOf(schema)).length).toBeGreaterThan(400);
  expect(all.flatMap(([name, schema]) => untold(schema, `\n#### ${name}\n`))).toEqual([]);
  for (const { unit, sentence } of UNITS) expect(guide).toContain(`- *${unit}*: ${sentence}`);
});

test('an example shows only the fields that are asked for, and marks what it leaves out', () => {
  const answer = { a: 1, b: { c: [{ d: 2, e: 3 }], f: null }, g: { h: 4 } };
  expect(showExample(answer, ['a', 'b.c.d', 'g'])).toBe(
    '{ "a": 1, "b": { "c": [{ "d": 2, … }], … }, "g": { "h": 4 } }',
  );
  expect(showExample(answer, ['a', 'b', 'g'])).not.toContain('…');
});
