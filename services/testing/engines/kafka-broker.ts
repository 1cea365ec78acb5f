import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../platform/free-port.ts';
import { fetchWithMaven } from './fetch-with-maven.ts';
import { type JavaServer, startJavaServer } from './java-server.ts';
import { runToEnd } from './run-to-end.ts';
import { type SecuredListener, secureListener } from './secured-listener.ts';

const HOST = '127.0.0.1';
// It lives for minutes: compiling for the long run took half of its processor time, and G1 an eighth.
const JVM = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
const POM = new URL('../../../infra/kafka/pom.xml', import.meta.url).pathname;

export type KafkaBroker = JavaServer & {
  /** As KAFKA_BROKERS takes them: host:port. The same after a restart. */
  readonly brokers: string;
  /** null where it was not asked for. */
  readonly secured: SecuredListener | null;
};

type Ports = { readonly client: number; readonly controller: number; readonly secured: number };
type Secured = Awaited<ReturnType<typeof secureListener>>;

const propertiesOf = (ports: Ports, folder: string, secured: Secured | null): string => {
  const clients = [`PLAINTEXT://${HOST}:${ports.client}`];
  if (secured) clients.push(`SECURED://${HOST}:${ports.secured}`);
  const properties = Object.entries({
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@${HOST}:${ports.controller}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: [...clients, `CONTROLLER://${HOST}:${ports.controller}`].join(','),
    'advertised.listeners': clients.join(','),
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SECURED:SASL_SSL,CONTROLLER:PLAINTEXT',
    'log.dirs': join(folder, 'logs'),
    // A broker alone keeps one copy of everything, also of its own topics.
    'default.replication.factor': 1,
    'offsets.topic.replication.factor': 1,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    // Topics are declared; one that appears by a typing error would have the wrong partition count.
    'auto.create.topics.enable': false,
    // As docker-compose.yml has it.
    'offsets.retention.minutes': 5_256_000,
    // Without these a killed broker refuses connections for 10 s after its restart.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 300,
    // A controller alone need not tell itself twice a second that it lives.
    'metadata.max.idle.interval.ms': 0,
    // What a killed writer left open ends when its time is over, not up to 10 s later.
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': 500,
  });
  const ofListener = Object.entries(secured?.properties ?? {}).map(
    ([name, value]) => [`listener.name.secured.${name}`, value] as const,
  );
  return [...properties, ...ofListener].map(([name, value]) => `${name}=${value}\n`).join('');
};

/** The folder of the broker's jars, its tools among them. Throws `EngineMissingError`. */
export const fetchKafka = (): Promise<string> => {
  const version = /<kafka\.version>([\d.]+)</.exec(readFileSync(POM, 'utf8'))?.[1] ?? '';
  return fetchWithMaven(`kafka-${version}`, [
    ...['--file', POM],
    ...['dependency:copy-dependencies', '-DincludeScope=runtime'],
  ]);
};

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, HOST);
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });

/**
 * A real Kafka broker (KRaft, one node) on free ports of 127.0.0.1, without Docker; resolves when it takes connections.
 * @param isSecured with a second listener, which speaks TLS and asks for a user.
 * Throws `EngineMissingError` where it cannot run.
 */
export const startKafkaBroker = async ({ isSecured = false } = {}): Promise<KafkaBroker> => {
  const libraries = await fetchKafka();
  const ports = { client: await freePort(), controller: await freePort(), secured: await freePort() };
  let secured = null as Secured | null;
  const server = await startJavaServer({
    name: 'kafka',
    prepare: async (folder) => {
      const file = join(folder, 'server.properties');
      if (isSecured) secured = await secureListener({ host: HOST, port: ports.secured, folder });
      writeFileSync(file, propertiesOf(ports, folder, secured));
      const java = [...JVM, '-cp', join(libraries, '*')];
      // A first bit of zero: an id that began with a dash was taken for an option, once in 64 starts.
      const clusterId = Buffer.from([randomBytes(1).readUInt8() & 0x7f, ...randomBytes(15)]).toString(
        'base64url',
      );
      const format = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file];
      await runToEnd('java', [...java, ...format, ...(secured?.users ?? [])]);
      return [...java, 'kafka.Kafka', file];
    },
    answers: () => accepts(ports.client),
  });
  return { ...server, brokers: `${HOST}:${ports.client}`, secured: secured?.listener ?? null };
};
