import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { runToEnd } from './run-to-end.ts';

/** A listener of a test's broker that speaks TLS and asks for a user, by PLAIN or SCRAM. */
export type SecuredListener = {
  readonly brokers: string;
  readonly username: string;
  readonly password: string;
  /** PEM: its own authority. */
  readonly certificate: string;
};

const MODULES = 'org.apache.kafka.common.security';
const SCRAM = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];

/** Makes a key and its certificate in the broker's folder, and gives what the broker must be told. */
export const secureListener = async (request: { host: string; port: number; folder: string }) => {
  const { host, port, folder } = request;
  const [username, password] = ['alice', randomBytes(12).toString('hex')];
  const file = join(folder, 'keystore.p12');
  const store = ['-alias', 'broker', '-keystore', file, '-storetype', 'PKCS12', '-storepass', password];
  const subject = ['-dname', `CN=${host}`, '-ext', `san=ip:${host}`];
  await runToEnd('keytool', ['-genkeypair', '-keyalg', 'EC', ...subject, ...store]);
  const certificate = await runToEnd('keytool', ['-exportcert', '-rfc', ...store]);
  const login = `${MODULES}.plain.PlainLoginModule required user_${username}="${password}";`;
  const properties: Record<string, string> = {
    'sasl.enabled.mechanisms': ['PLAIN', ...SCRAM].join(','),
    'plain.sasl.jaas.config': login,
    'ssl.keystore.type': 'PKCS12',
    'ssl.keystore.location': file,
    'ssl.keystore.password': password,
  };
  for (const mechanism of SCRAM)
    properties[`${mechanism.toLowerCase()}.sasl.jaas.config`] = `${MODULES}.scram.ScramLoginModule required;`;
  const listener: SecuredListener = { brokers: `${host}:${port}`, username, password, certificate };
  // Users of SCRAM are kept in the cluster's metadata, from its beginning on.
  const users = SCRAM.flatMap((name) => ['--add-scram', `${name}=[name=${username},password=${password}]`]);
  return { listener, properties, users };
};
