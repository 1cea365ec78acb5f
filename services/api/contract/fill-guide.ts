import type { Example } from './create-document.ts';

/** What of the API document a table of fields is made from. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
};
type Schemas = Readonly<Record<string, Schema>>;
type Operation = {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
};
type Document = {
  readonly components?: { readonly schemas?: Schemas };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const BLOCK = /<!-- (request|answer|body|fields) (\w+) -->[\s\S]*?<!-- end -->/g;

/**
 * Writes the parts of the guide for callers that follow from elsewhere between their marks: requests and answers of the
 * generated world, and tables of the fields of a request or of a schema. All other text stays as it is.
 */
export const fillGuide = (
  text: string,
  document: Document,
  examples: Readonly<Record<string, Example>>,
): string =>
  text.replace(BLOCK, (_, kind: string, name: string) => {
    const fill =
      kind === 'fields' || kind === 'body'
        ? fieldTable(document, kind === 'body' ? bodyOf(document, name) : namedSchema(document, name))
        : exampleBlock(examples[name], kind);
    return `<!-- ${kind} ${name} -->\n\n${fill}\n\n<!-- end -->`;
  });

const exampleBlock = (example: Example | undefined, kind: string): string => {
  const value = kind === 'request' ? example?.request : example?.answer;
  if (value === undefined) throw new Error('the guide names an example that does not exist');
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
};

const namedSchema = ({ components }: Document, name: string): Schema => {
  const schema = components?.schemas?.[name];
  if (schema === undefined) throw new Error(`the API document has no schema ${name}`);
  return schema;
};

/** What the body of the operation with this id is. */
const bodyOf = ({ paths = {} }: Document, id: string): Schema => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const body = operations.find(({ operationId }) => operationId === id)?.requestBody;
  if (body === undefined) throw new Error(`the API document has no operation ${id} with a body`);
  return body.content['application/json'].schema;
};

const fieldTable = (document: Document, schema: Schema): string => {
  const rows = listFields(schema, document.components?.schemas ?? {});
  return ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
};

/** Fields of objects inside, too, unless these have a table of their own. */
const listFields = (
  schema: Schema,
  schemas: Schemas,
  prefix = '',
  rows: string[] = [],
): readonly string[] => {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const shown = field.items && !field.items.$ref ? `${path}[]` : path;
    const need = schema.additionalProperties === false && schema.required?.includes(name) ? ', required' : '';
    const meaning = meaningOf(field, schemas).replaceAll('|', '\\|');
    rows.push(`| \`${shown}\` | ${typeOf(field)}${need} | ${meaning} |`);
    for (const inner of [field, field.items, ...(field.anyOf ?? [])])
      if (inner?.properties) listFields(inner, schemas, shown, rows);
  }
  return rows;
};

/** A field of a named schema may leave its meaning to that schema. */
const meaningOf = ({ description, $ref, items }: Schema, schemas: Schemas): string =>
  description ?? schemas[($ref ?? items?.$ref)?.split('/').at(-1) ?? '']?.description ?? '';

const typeOf = (field: Schema): string => {
  if (field.$ref) return linkOf(field.$ref);
  if (field.items) return `list of ${typeOf(field.items)}`;
  const choices = field.anyOf ?? field.oneOf ?? field.allOf;
  if (choices) return choices.map(typeOf).join(' or ');
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join(', ');
  return [field.type ?? 'any'].flat().join(' or ');
};

const linkOf = (ref: string): string => {
  const name = ref.split('/').at(-1) ?? '';
  return `[${name}](#${name.toLowerCase()})`;
};
