import { setTimeout as sleep } from 'node:timers/promises';
import {
  COMPATIBILITY,
  SchemaRegistry as ConfluentClient,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import type { Type } from 'avsc';
import { splitLogin } from '../login.ts';
import { messageOf } from '../message-of.ts';
import { IncompatibleSchemaError, RegistryError, type SchemaRegistry } from './schema-registry.ts';
import { parseSchema } from './schemas.ts';

// The caller decides how long to try: twice quickly for a lost connection, no more.
const RETRY = { retries: 2, initialRetryTimeInSecs: 0.1, maxRetryTimeInSecs: 1 };
// The client gives 400 where there was no answer at all; a registry never uses it.
const STATUS = { none: 400, notFound: 404, conflict: 409, unprocessable: 422, serverFailed: 500 };
/** It took too long, or too many have asked: what a registry, or who stands before it, says of the moment. */
const PASSING = new Set([STATUS.none, 408, 425, 429]);

const open = (address: string): ConfluentClient => {
  const { url, login } = splitLogin(address);
  return new ConfluentClient({
    host: `${url.origin}${url.pathname.replace(/\/$/, '')}`,
    clientId: 'spoor',
    retry: RETRY,
    ...(login ? { auth: login } : {}),
  });
};

const statusOf = (error: unknown): number | null =>
  error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : null;

const isOtherCompatibility = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ConfluentSchemaRegistryCompatibilityError';

/**
 * A new subject gets its schema first and its compatibility after it: meanwhile others see it without, and some registries
 * refuse the second of two that set it.
 */
const isConfigRace = (error: unknown): boolean =>
  isOtherCompatibility(error) ||
  (statusOf(error) === STATUS.conflict &&
    (error as Error & { url?: string }).url?.startsWith('put ') === true);

/** Long enough for the first process to finish. */
const CONFIG_RACE = { attempts: 10, waitMs: 200 };

const throughConfigRaces = async <T>(action: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      if (!isConfigRace(error) || attempt === CONFIG_RACE.attempts) throw error;
      await sleep(CONFIG_RACE.waitMs);
    }
  }
};

const toRegistryError = (cause: unknown): RegistryError => {
  const status = statusOf(cause) ?? (isOtherCompatibility(cause) ? STATUS.conflict : STATUS.none);
  if (PASSING.has(status) || status >= STATUS.serverFailed)
    return new RegistryError('registry_unreachable', 'the schema registry does not answer', { cause });
  const said = messageOf(cause);
  return new RegistryError('registry_refused', `the schema registry answers ${status}: ${said}`, { cause });
};

/**
 * A registry that speaks the Confluent API. Subjects are the names of records; compatibility is BACKWARD_TRANSITIVE.
 * @param url its base, with user and password where it asks for them.
 */
export const openConfluentRegistry = (url: string): SchemaRegistry => ({
  register: async (schema) => {
    try {
      const { id } = await throughConfigRaces(() =>
        open(url).register(
          { type: SchemaType.AVRO, schema: schema.json },
          { subject: schema.name, compatibility: COMPATIBILITY.BACKWARD_TRANSITIVE },
        ),
      );
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
      // For Avro the client gives avsc's own type and calls it by a narrower one.
      const type = (await open(url).getSchema(id)) as unknown as Type;
      return parseSchema(JSON.stringify(type.schema({ exportAttrs: true })));
    } catch (error) {
      if (statusOf(error) === STATUS.notFound) return null;
      throw toRegistryError(error);
    }
  },
});
