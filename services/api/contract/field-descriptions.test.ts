import { expect, test } from 'vitest';
import { describeApi, readExamples } from './describe-api.ts';

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};
type Field = { readonly path: string; readonly schema: Schema; readonly meaning: string };
type Body = { readonly content?: { readonly 'application/json'?: { readonly schema: Schema } } };
type Route = { readonly requestBody?: Body; readonly parameters?: readonly { description?: string }[] };

const document = JSON.parse(JSON.stringify(describeApi(readExamples()))) as {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
};
const { schemas } = document.components;
const routes = Object.values(document.paths).flatMap((methods) => Object.values(methods));

/** A field of a named schema may leave its meaning to that schema. */
const meaningOf = ({ description, $ref, allOf = [], items }: Schema): string => {
  if (description) return description;
  if ($ref) return schemas[$ref.split('/').at(-1) ?? '']?.description ?? '';
  for (const part of [...allOf, ...(items?.$ref ? [items] : [])]) {
    const meaning = meaningOf(part);
    if (meaning !== '') return meaning;
  }
  return '';
};

/** Every field at any depth; what lies behind a reference is walked where it is named. */
const fieldsOf = (schema: Schema, at: string): Field[] => {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${at}.${name}`;
    return [{ path, schema: field, meaning: meaningOf(field) }, ...fieldsOf(field, path)];
  });
  const { items, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...own,
    ...(items ? fieldsOf(items, `${at}[]`) : []),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((choice) => fieldsOf(choice, at)),
  ];
};

const requests = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.values(methods).flatMap(({ requestBody }) => {
    const schema = requestBody?.content?.['application/json']?.schema;
    return schema ? fieldsOf(schema, path) : [];
  }),
);
const answers = Object.entries(schemas).flatMap(([name, schema]) => fieldsOf(schema, name));
const fields = [...requests, ...answers];
const pathsWhere = (isWrong: (field: Field) => boolean): string[] =>
  fields.filter(isWrong).map(({ path }) => path);

test('every field of a request and of an answer, every schema and every parameter says what it is', () => {
  expect(requests.length).toBeGreaterThan(25);
  expect(answers.length).toBeGreaterThan(300);
  expect(pathsWhere(({ meaning }) => !/^[^ ].{8,}/.test(meaning))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => !schemas[name]?.description)).toEqual([]);
  expect(routes.flatMap(({ parameters = [] }) => parameters).filter((each) => !each.description)).toEqual([]);
});

const isNullable = ({ type, anyOf = [] }: Schema): boolean =>
  (type !== undefined && [type].flat().includes('null')) || anyOf.some(isNullable);

test('every field that may be null says what null means', () => {
  expect(answers.filter(({ schema }) => isNullable(schema)).length).toBeGreaterThan(80);
  expect(pathsWhere(({ schema, meaning }) => isNullable(schema) && !/\bnull\b/i.test(meaning))).toEqual([]);
});

/** Lists of objects that are written out, below objects that are. */
const inlinedLists = ({ properties = {}, items, anyOf = [] }: Schema, at: string): string[] => [
  ...(items?.properties ? [`${at}[]`] : []),
  ...Object.entries(properties).flatMap(([name, field]) => inlinedLists(field, `${at}.${name}`)),
  ...anyOf.flatMap((choice) => inlinedLists(choice, at)),
];

// Generators of clients give the entries of such a list one name twice, and make neither.
test('an object that a field holds or not is a schema of its own where it holds lists of objects', () => {
  const choices = answers.flatMap(({ path, schema: { anyOf = [], oneOf = [] } }) =>
    [...anyOf, ...oneOf].map((choice) => ({ path, choice })),
  );
  const objects = choices.filter(({ choice }) => choice.properties);
  expect(objects.length).toBeGreaterThan(10);
  expect(objects.flatMap(({ path, choice }) => inlinedLists(choice, path))).toEqual([]);
  expect(Object.keys(schemas).filter((name) => isNullable(schemas[name] ?? {}))).toEqual([]);
});

const isNumber = ({ type, anyOf = [] }: Schema): boolean =>
  (type !== undefined && [type].flat().includes('number')) || anyOf.some(isNumber);
const UNIT =
  /US dollars|whole units|smallest unit|[Ff]rom 0|0 to 100|1 is all|seconds|probability|What the (request|transaction) says/i;

test('every number that counts nothing says its unit', () => {
  expect(answers.filter(({ schema }) => isNumber(schema)).length).toBeGreaterThan(50);
  expect(pathsWhere(({ schema, meaning }) => isNumber(schema) && !UNIT.test(meaning))).toEqual([]);
});

test('every time says that it is in unix seconds', () => {
  const isTime = /\.(time|since|until|first|last|funded|first_seen|last_seen|\w+_at|data_from|data_to)$/;
  const times = fields.filter(
    ({ path, schema }) =>
      isTime.test(path) &&
      !schema.anyOf?.some(({ properties }) => properties) &&
      /"integer"/.test(JSON.stringify(schema)),
  );
  expect(times.length).toBeGreaterThan(30);
  expect(times.filter(({ meaning }) => !meaning.includes('Unix seconds')).map(({ path }) => path)).toEqual(
    [],
  );
});
