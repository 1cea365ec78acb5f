import { UNITS } from './fields.ts';

/** The part of a JSON schema that a list of fields needs. */
export type Schema = {
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
export type Schemas = Readonly<Record<string, Schema>>;
export type Field = {
  readonly names: readonly string[];
  readonly type: string;
  readonly meaning: string;
  readonly inner: readonly Field[];
};

/** The fields of an object and of its inline objects. Named schemas have their own list. */
export const listFields = (schema: Schema, schemas: Schemas): readonly Field[] => {
  const fields: Field[] = [];
  for (const { properties = {}, required = [] } of [schema, ...choicesOf(schema)])
    for (const [name, property] of Object.entries(properties)) {
      const { unit, meaning } = readMeaning(property, schemas);
      const shown = required.includes(name) ? name : `${name}?`;
      const type = unit ? unitType(unit, property) : typeOf(property);
      const inner = listFields(property.items ?? property, schemas);
      const field = { names: [shown], type, meaning, inner };
      const last = fields.at(-1);
      if (last && isAlike(last, field)) fields[fields.length - 1] = join(last, field);
      else fields.push(field);
    }
  return fields;
};

/** Neighbours with one meaning share a line: sides, kinds of party, and an amount in both units. */
const isAlike = (one: Field, other: Field): boolean =>
  one.meaning === other.meaning &&
  JSON.stringify(one.inner) === JSON.stringify(other.inner) &&
  (one.type === other.type || /^(amount|raw)(amount|raw)$/.test(one.type + other.type));

const join = (one: Field, other: Field): Field => ({
  ...one,
  names: [...one.names, ...other.names],
  type: one.type === other.type ? one.type : `${one.type}/${other.type}`,
});

export const choicesOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema): readonly Schema[] => [
  ...anyOf,
  ...oneOf,
  ...allOf,
];

/** A field of a named schema may take its meaning from the schema. A unit's sentence becomes its type. */
export const readMeaning = (
  { description, $ref, items }: Schema,
  schemas: Schemas,
): { readonly unit: string | undefined; readonly meaning: string } => {
  const told = description ?? schemas[nameOf($ref ?? items?.$ref)]?.description ?? '';
  const found = UNITS.find(({ sentence }) => told.includes(sentence));
  return {
    unit: found?.unit,
    meaning: told
      .replace(found?.sentence ?? '', '')
      .replace(/ +/g, ' ')
      .trim(),
  };
};

/** The name in a reference or link. */
export const nameOf = (ref: string | undefined): string => ref?.split('/').at(-1) ?? '';

const unitType = (unit: string, field: Schema): string => {
  const named = [field, ...choicesOf(field)].find(({ $ref }) => $ref)?.$ref;
  return named ? linkTo(named) : field.items ? `${unit}[]` : unit;
};

const typeOf = (field: Schema): string => {
  if (field.$ref) return linkTo(field.$ref);
  if (field.items) return `${typeOf(field.items)}[]`;
  const choices = choicesOf(field).map(typeOf);
  if (choices.length > 0) return choices.filter((choice) => choice !== '').join('/');
  if (field.enum) return field.enum.map((value) => `\`${String(value)}\``).join('/');
  return [field.type ?? 'any']
    .flat()
    .filter((type) => type !== 'null')
    .join('/');
};

const linkTo = (ref: string): string => `[${nameOf(ref)}](#${nameOf(ref).toLowerCase()})`;
