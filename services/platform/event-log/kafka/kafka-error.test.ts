import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import type { Broker } from './kafka-client.ts';
import { remedyFor, toLogError } from './kafka-error.ts';

type BrokerOptions = { connectionPool: object; logger: { namespace: () => object } };
const KafkaBroker = createRequire(import.meta.url)('kafkajs/src/broker') as new (
  options: BrokerOptions,
) => Broker;

test('a broker that kafkajs lost while others waited for it is away, and asked again on fresh connections', async () => {
  const lost = new KafkaBroker({ connectionPool: {}, logger: { namespace: () => ({}) } });
  const error = await lost.describeGroups({ groupIds: ['g'] }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  expect(remedyFor(error)).toBe('reconnect');
  expect(toLogError(error)).toMatchObject({ code: 'kafka_away' });
});
