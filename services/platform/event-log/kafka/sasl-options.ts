import { createRequire } from 'node:module';
import type { Mechanism } from 'kafkajs';
import type { SaslLogin } from '../../config/kafka-security.ts';
import { remedyFor } from './kafka-error.ts';

type Provider = Mechanism['authenticationProvider'];

const FILES = { plain: 'plain', 'scram-sha-256': 'scram256', 'scram-sha-512': 'scram512' } as const;

/**
 * Login for kafkajs. By itself kafkajs reports every failure during a login as refused. Here a lost
 * connection stays one, because a broker that stopped during a login will return, while a wrong password
 * stays wrong.
 */
export const saslOptions = (login: SaslLogin): Mechanism => {
  const file = `kafkajs/src/broker/saslAuthenticator/${FILES[login.mechanism]}`;
  const createProvider = createRequire(import.meta.url)(file) as (login: SaslLogin) => Provider;
  return { mechanism: login.mechanism, authenticationProvider: describeLost(createProvider(login)) };
};

const describeLost =
  (provider: Provider): Provider =>
  (args) => {
    let lost: unknown = null;
    const { authenticate } = provider({
      ...args,
      saslAuthenticate: (request) =>
        args.saslAuthenticate(request).catch((error: unknown) => {
          if (remedyFor(error) !== 'give_up') lost = error;
          throw error;
        }),
    });
    return {
      authenticate: () =>
        authenticate().catch((error: unknown) => {
          throw lost ?? error;
        }),
    };
  };
