import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { toLogError } from './kafka-error.ts';
import { saslOptions } from './sasl-options.ts';

/** What comes of a login while the broker answers nothing but this error. */
const loginAgainst = async (answer: Error): Promise<unknown> => {
  const { authenticationProvider } = saslOptions({
    mechanism: 'plain',
    username: 'alice',
    password: 'secret',
  });
  const logger = new kafkajs.Kafka({ brokers: ['a:1'], logLevel: kafkajs.logLevel.NOTHING }).logger();
  const broker = { host: 'a', port: 1, logger, saslAuthenticate: () => Promise.reject(answer) };
  return authenticationProvider(broker)
    .authenticate()
    .catch((error: unknown) => toLogError(error).code);
};

test('a broker that ends amid a login is away, and does not refuse it', async () => {
  expect(await loginAgainst(new kafkajs.KafkaJSConnectionError('gone'))).toBe('kafka_away');
});

test('what the broker answers to a wrong password refuses the login', async () => {
  const answer = { type: 'SASL_AUTHENTICATION_FAILED', code: 58, retriable: false, message: 'wrong' };
  expect(await loginAgainst(new kafkajs.KafkaJSProtocolError(answer as never))).toBe('kafka_login_refused');
});
