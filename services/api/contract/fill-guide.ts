import type { Example } from './create-document.ts';

/** What of the API document a table of fields is made from. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
};
type Schemas = Readonly<Record<string, Schema>>;
type Document = { readonly components?: { readonly schemas?: Schemas } };

const BLOCK = /<!-- (request|answer|fields) (\w+) -->[\s\S]*?<!-- end -->/g;

/**
 * Writes the parts of the guide for callers that follow from elsewhere between their marks: requests and answers of the
 * generated world, and a table of the fields of a schema. All other text stays as it is.
 */
export const fillGuide = (
  text: string,
  document: Document,
  examples: Readonly<Record<string, Example>>,
): string =>
  text.replace(BLOCK, (_, kind: string, name: string) => {
    const body = kind === 'fields' ? fieldTable(document, name) : exampleBlock(examples[name], kind);
    return `<!-- ${kind} ${name} -->\n\n${body}\n\n<!-- end -->`;
  });

const exampleBlock = (example: Example | undefined, kind: string): string => {
  const value = kind === 'request' ? example?.request : example?.answer;
  if (value === undefined) throw new Error('the guide names an example that there is not');
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
};

const fieldTable = (document: Document, name: string): string => {
  const schemas = document.components?.schemas ?? {};
  const schema = schemas[name];
  if (schema === undefined) throw new Error(`the API document has no schema ${name}`);
  const rows = listFields(schema, schemas);
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
    rows.push(`| \`${shown}\` | ${typeOf(field)} | ${meaningOf(field, schemas).replaceAll('|', '\\|')} |`);
    for (const inner of [field, field.items, ...(field.anyOf ?? [])])
      if (inner?.properties) listFields(inner, schemas, shown, rows);
  }
  return rows;
};

/** A field that may be null keeps its meaning one level down; one of a named schema has that schema's. */
const meaningOf = (field: Schema, schemas: Schemas): string => {
  const { description, anyOf = [], items, $ref } = field;
  if (description) return description;
  if ($ref) return schemas[$ref.split('/').at(-1) ?? '']?.description ?? '';
  for (const inner of [...anyOf, ...(items ? [items] : [])]) {
    const meaning = meaningOf(inner, schemas);
    if (meaning !== '') return meaning;
  }
  return '';
};

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
  return `[${name.replace(/Output$/, '')}](#${name.toLowerCase()})`;
};
