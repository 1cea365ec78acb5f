/** A configuration in YAML. Names beginning with `@` are attributes, as in ClickHouse's own YAML files. */
export type Configuration = { readonly [name: string]: Value };
type Value = string | number | boolean | Configuration | readonly Value[];

/** The same configuration as XML, the only form that the embedded engine reads. */
export const toXml = (configuration: Configuration): string => element('clickhouse', configuration);

const element = (name: string, value: Value): string => {
  const [attributes, content] = partsOf(value);
  return `<${name}${attributes}>${content}</${name}>`;
};

const partsOf = (value: Value): [attributes: string, content: string] => {
  if (typeof value !== 'object') return ['', escaped(String(value))];
  // The elements of a list share one parent.
  if (isList(value)) return ['', value.map((item) => partsOf(item)[1]).join('')];
  const entries = Object.entries(value);
  const attributes = entries.filter(([name]) => name.startsWith('@'));
  const children = entries.filter(([name]) => !name.startsWith('@'));
  return [
    attributes.map(([name, text]) => ` ${name.slice(1)}="${escaped(String(text))}"`).join(''),
    children.map(([name, child]) => element(name, child)).join(''),
  ];
};

const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '');
