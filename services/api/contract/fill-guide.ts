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
type Document = { readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> } };

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
  const schema = document.components?.schemas?.[name];
  if (schema === undefined) throw new Error(`the API document has no schema ${name}`);
  const rows = listFields(schema, '', []);
  return ['| Field | Type | Meaning |', '| --- | --- | --- |', ...rows].join('\n');
};

/** Fields of objects inside, too, unless these have a table of their own. */
const listFields = (schema: Schema, prefix: string, rows: string[]): readonly string[] => {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    const shown = field.items && !field.items.$ref ? `${path}[]` : path;
    rows.push(`| \`${shown}\` | ${typeOf(field)} | ${(field.description ?? '').replaceAll('|', '\\|')} |`);
    for (const inner of [field, field.items, ...(field.anyOf ?? [])])
      if (inner?.properties) listFields(inner, shown, rows);
  }
  return rows;
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
