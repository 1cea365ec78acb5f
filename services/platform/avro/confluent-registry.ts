import { setTimeout as sleep } from 'node:timers/promises';
import {
  COMPATIBILITY,
  SchemaRegistry as ConfluentClient,
  SchemaType,
} from '@kafkajs/confluent-schema-registry';
import type { Type } from 'avsc';
import { inTurn } from '../in-turn.ts';
import { splitLogin } from '../login.ts';
import { messageOf } from '../message-of.ts';
import { IncompatibleSchemaError, RegistryError, type SchemaRegistry } from './schema-registry.ts';
import { parseSchema } from './schemas.ts';

// The caller decides how long to retry. Here only two quick retries, for a lost connection.
const RETRY = { retries: 2, initialRetryTimeInSecs: 0.1, maxRetryTimeInSecs: 1 };
// The client reports 400 when there was no answer. A registry never uses that code.
const STATUS = { none: 400, notFound: 404, conflict: 409, unprocessable: 422, serverFailed: 500 };
/** Timeouts and rate limits, by the registry or a proxy, are temporary. */
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
 * Registers a new subject's schema before its compatibility. Until then others see it without, and some
 * registries refuse the second process that sets it.
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

const isAway = (error: unknown): boolean => toRegistryError(error).code === 'registry_unreachable';

/**
 * A registry with the Confluent API. Subjects are the names of records; compatibility is BACKWARD_TRANSITIVE.
 * @param urls its base, with user and password if it requires them; several servers of it are tried in turn.
 */
export const openConfluentRegistry = (...urls: readonly [string, ...string[]]): SchemaRegistry => {
  const ask = inTurn(urls, isAway);
  return {
    register: async (schema) => {
      try {
        const { id } = await ask((url) =>
          throughConfigRaces(() =>
            open(url).register(
              { type: SchemaType.AVRO, schema: schema.json },
              { subject: schema.name, compatibility: COMPATIBILITY.BACKWARD_TRANSITIVE },
            ),
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
        // A new client for every call, because a client caches, and a registry that lost its data may hand out
        // an id twice. For Avro the client returns avsc's own type under a narrower one.
        const type = (await ask((url) => open(url).getSchema(id))) as unknown as Type;
        return parseSchema(JSON.stringify(type.schema({ exportAttrs: true })));
      } catch (error) {
        if (statusOf(error) === STATUS.notFound) return null;
        throw toRegistryError(error);
      }
    },
  };
};
