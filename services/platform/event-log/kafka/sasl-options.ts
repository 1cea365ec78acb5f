import { createRequire } from 'node:module';
import type { Mechanism } from 'kafkajs';
import type { SaslLogin } from '../../config/kafka-security.ts';
import { remedyFor } from './kafka-error.ts';

type Provider = Mechanism['authenticationProvider'];

const FILES = { plain: 'plain', 'scram-sha-256': 'scram256', 'scram-sha-512': 'scram512' } as const;

/**
 * How kafkajs logs in. By itself it calls all that goes wrong meanwhile a refused login; here a lost connection stays one,
 * since a broker that ended amid a login will be back, while a wrong password will not become right.
 */
export const saslOptions = (login: SaslLogin): Mechanism => {
  const file = `kafkajs/src/broker/saslAuthenticator/${FILES[login.mechanism]}`;
  const createProvider = createRequire(import.meta.url)(file) as (login: SaslLogin) => Provider;
  return { mechanism: login.mechanism, authenticationProvider: tellLost(createProvider(login)) };
};

const tellLost =
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
