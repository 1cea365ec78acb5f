import {
  COMPATIBILITY,
  SchemaRegistry as ConfluentClient,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import type { Type } from 'avsc';
import { IncompatibleSchemaError, RegistryError, type SchemaRegistry } from './schema-registry.ts';
import { parseSchema } from './schemas.ts';

// Whoever asks decides how long to try: twice quickly for a lost connection, no more.
const RETRY = { retries: 2, initialRetryTimeInSecs: 0.1, maxRetryTimeInSecs: 1 };
// What the client gives where there was no answer at all is 400, which a registry has no use for.
const STATUS = { none: 400, notFound: 404, conflict: 409, unprocessable: 422, serverFailed: 500 };

const open = (url: string): ConfluentClient => {
  const { username, password, origin, pathname } = new URL(url);
  return new ConfluentClient({
    host: `${origin}${pathname.replace(/\/$/, '')}`,
    clientId: 'spoor',
    retry: RETRY,
    ...(username === ''
      ? {}
      : { auth: { username: decodeURIComponent(username), password: decodeURIComponent(password) } }),
  });
};

const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

/** Some registries refuse the second of two that set a new subject's compatibility at the same moment. */
const isConfigRace = (error: unknown): boolean =>
  statusOf(error) === STATUS.conflict && (error as Error & { url?: string }).url?.startsWith('put ') === true;

const toRegistryError = (cause: unknown): RegistryError => {
  const status = statusOf(cause) ?? STATUS.none;
  if (status === STATUS.none || status >= STATUS.serverFailed)
    return new RegistryError('registry_unreachable', 'the schema registry does not answer', { cause });
  const said = cause instanceof Error ? cause.message : String(cause);
  return new RegistryError('registry_refused', `the schema registry answers ${status}: ${said}`, { cause });
};

/**
 * A registry that speaks the Confluent API. Subjects are the names of records; compatibility is BACKWARD_TRANSITIVE.
 * @param url its base, with user and password where it asks for them.
 */
export const openConfluentRegistry = (url: string): SchemaRegistry => ({
  register: async (schema) => {
    const register = (): Promise<{ id: number }> =>
      open(url).register(
        { type: SchemaType.AVRO, schema: schema.json },
        { subject: schema.name, compatibility: COMPATIBILITY.BACKWARD_TRANSITIVE },
      );
    try {
      const { id } = await register().catch((error: unknown) => {
        if (isConfigRace(error)) return register();
        throw error;
      });
      return id;
    } catch (error) {
      const status = statusOf(error);
      if (status === STATUS.conflict || status === STATUS.unprocessable)
        throw new IncompatibleSchemaError(schema.name, (error as Error).message);
      throw toRegistryError(error);
    }
  },
  schemaOf: async (id) => {
    try {
      // A client of its own each time: it would remember, and a registry that forgot hands an id out a second time.
      const type = (await open(url).getSchema(id)) as unknown as Type;
      return parseSchema(JSON.stringify(type.schema({ exportAttrs: true })));
    } catch (error) {
      if (statusOf(error) === STATUS.notFound) return null;
      throw toRegistryError(error);
    }
  },
});
