import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import avsc from 'avsc';

const FOLDER = new URL('../../../schemas/avro/', import.meta.url);
const VERSIONS = new URL('../../../schemas/avro-versions/', import.meta.url);

export type AvroSchema = {
  /** Record name; also the registry's subject. */
  readonly name: string;
  readonly json: string;
  /**
   * SHA-256 of the canonical form, stored in a record's headers, because a registry that lost its data may
   * hand out an id twice.
   */
  readonly fingerprint: string;
  readonly type: avsc.Type;
};

/** Each text is parsed once: a store registers some thirty schemas when it is opened. */
const parsed = new Map<string, AvroSchema>();

/** Parses a schema; throws avsc's error when it is not valid Avro. */
export const parseSchema = (json: string): AvroSchema => {
  const known = parsed.get(json);
  if (known) return known;
  const type = avsc.Type.forSchema(JSON.parse(json) as avsc.Schema);
  const fingerprint = createHash('sha256').update(JSON.stringify(type.schema())).digest('hex');
  const schema = { name: type.name ?? '', json, fingerprint, type };
  parsed.set(json, schema);
  return schema;
};

/** Loads `schemas/avro/<name>.avsc`. */
export const loadSchema = (name: string): AvroSchema =>
  parseSchema(readFileSync(new URL(`${name}.avsc`, FOLDER), 'utf8'));

/** Every version of a schema that a log may hold, oldest first: `schemas/avro-versions/<name>.<number>.avsc`. */
export const loadVersions = (name: string): AvroSchema[] =>
  readdirSync(VERSIONS)
    .filter((file) => file.startsWith(`${name}.`))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((file) => parseSchema(readFileSync(new URL(file, VERSIONS), 'utf8')));

const numberOf = (file: string): number => Number(file.split('.')[1]);
