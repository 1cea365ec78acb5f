import { type Field, listFields, nameOf, type Schema, type Schemas } from './field-list.ts';
import { UNITS } from './fields.ts';
import type { Example, Examples } from './operation.ts';
import { showExample } from './show-example.ts';

type Operation = {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};
type Document = {
  readonly components?: { readonly schemas?: Schemas };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const BLOCK = /<!-- (request|answer|body|fields|shared|units) ?([^>]*?) -->[\s\S]*?<!-- end -->/g;
/**
 * A field that means the same in this many places is explained once. Of each name only the most frequent meaning
 * is shared.
 */
const SHARED_FROM = 2;

/**
 * Fills the marked parts of the guide: requests and answers of the generated world, and lists of fields. Other
 * text stays.
 */
export const fillGuide = (text: string, document: Document, examples: Examples): string => {
  const schemas = document.components?.schemas ?? {};
  const asked = [...text.matchAll(/<!-- body (\w+) -->/g)].map(([, id = '']) => bodyOf(document, id));
  const shared = findShared([...asked, ...Object.values(schemas)].map((each) => listFields(each, schemas)));
  const listed = new Set<string>();
  const fill = (kind: string, [name = '', ...paths]: readonly string[]): string => {
    if (kind === 'units') return UNITS.map(({ unit, sentence }) => `- *${unit}*: ${sentence}`).join('\n');
    if (kind === 'shared') return fieldTable([...shared.values()], new Map());
    if (kind === 'request' || kind === 'answer') return exampleBlock(examples[name], kind, paths);
    if (kind === 'body') return fieldTable(listFields(bodyOf(document, name), schemas), shared);
    return [name, ...paths].flatMap((each) => listSchemas(each, { schemas, shared, listed })).join('\n\n');
  };
  return text.replace(
    BLOCK,
    (_, kind: string, words: string) =>
      `<!-- ${`${kind} ${words}`.trim()} -->\n\n${fill(kind, words.split(' '))}\n\n<!-- end -->`,
  );
};

const exampleBlock = (example: Example | undefined, kind: string, paths: readonly string[]): string => {
  const value = kind === 'request' ? example?.request : example?.answer;
  if (value === undefined) throw new Error('the guide names an example that does not exist');
  return `\`\`\`js\n${showExample(value, paths)}\n\`\`\``;
};

/** The request body of the operation with this id. */
const bodyOf = ({ paths = {} }: Document, id: string): Schema => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const body = operations.find(({ operationId }) => operationId === id)?.requestBody;
  if (body === undefined) throw new Error(`the API document has no operation ${id} with a body`);
  return body.content['application/json'].schema;
};

const keyOf = (field: Field): string => `${field.names} ${field.type} ${field.meaning}`;

const findShared = (objects: readonly (readonly Field[])[]): ReadonlyMap<string, Field> => {
  const seen = new Map<string, { field: Field; times: number }>();
  const count = (fields: readonly Field[]): void => {
    for (const field of fields) {
      count(field.inner);
      if (field.inner.length > 0) continue;
      const known = seen.get(keyOf(field));
      seen.set(keyOf(field), { field, times: (known?.times ?? 0) + 1 });
    }
  };
  objects.forEach(count);
  const often = [...seen].filter(([, { times }]) => times >= SHARED_FROM);
  often.sort(([, one], [, other]) => other.times - one.times);
  const names = new Set<string>();
  const isFirst = ({ names: [name = ''] }: Field) => !names.has(name) && names.add(name);
  return new Map(often.flatMap(([key, { field }]) => (isFirst(field) ? [[key, field] as const] : [])));
};

type Listing = {
  readonly schemas: Schemas;
  readonly shared: ReadonlyMap<string, Field>;
  /** Names of the schemas already listed. */
  readonly listed: Set<string>;
};

/** Lists a schema and then the schemas it refers to, each once. Referring fields say what a schema is. */
const listSchemas = (name: string, { schemas, shared, listed }: Listing): readonly string[] => {
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the API document has no schema ${name}`);
  if (listed.has(name)) return [];
  listed.add(name);
  const own = `#### ${name}\n\n${fieldTable(listFields(schema, schemas), shared)}`;
  return [own, ...refsOf(schema).flatMap((ref) => listSchemas(ref, { schemas, shared, listed }))];
};

const refsOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, member]) =>
        key === '$ref' ? [nameOf(String(member))] : refsOf(member),
      )
    : [];

/** Shared fields appear by name only. */
const fieldTable = (fields: readonly Field[], shared: ReadonlyMap<string, Field>): string =>
  ['|Field|Type|Meaning|', '|-|-|-|', ...printRows(fields, shared, '')].join('\n');

const printRows = (
  fields: readonly Field[],
  shared: ReadonlyMap<string, Field>,
  prefix: string,
): readonly string[] => {
  const known = fields.filter((field) => shared.has(keyOf(field)));
  const own = fields.filter((field) => !known.includes(field));
  const names = known.flatMap((field) => field.names);
  return [
    ...(names.length > 0 ? [`|${namesOf(names, prefix)}||[shared](#shared)|`] : []),
    ...own.flatMap(({ names, type, meaning, inner }) => [
      `|${namesOf(names, prefix)}|${type}|${meaning.replaceAll('|', '\\|')}|`,
      ...printRows(inner, shared, `${prefix}${names.map(bare).join('/')}.`),
    ]),
  ];
};

const bare = (name: string): string => name.replace('?', '');

const namesOf = (names: readonly string[], prefix: string): string =>
  names.map((name) => `\`${prefix}${name}\``).join('/');
