import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEngines } from '../../../testing/engines/describe-on-engines.ts';
import { PROGRAMS, runProgram } from '../../../testing/run-program.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import type { SaslLogin } from '../../config/kafka-security.ts';
import { applyTopics } from './apply-topics.ts';
import { openKafkaLog } from './open-kafka-log.ts';

const TOPICS = [{ name: 'kept', partitions: 1, retentionMs: -1 }];
const LIMITS = { maxQueuedBytes: 1_000_000, maxRecordBytes: 1_000_000 };
const WRONG = 'hunter2-hunter2';

describeOnEngines('brokers that speak TLS and ask for a user', ({ secured }) => {
  if (!secured) {
    test.skip('the broker of docker-compose.yml does neither');
    return;
  }
  const { brokers, username, certificate } = secured;
  const mechanisms = ['plain', 'scram-sha-256', 'scram-sha-512'] as const;
  const known = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...known, certificate]));
  afterAll(() => setDefaultCACertificates(known));

  const openAs = (login: Pick<SaslLogin, 'mechanism' | 'password'>) => {
    const heard: unknown[] = [];
    const address = {
      ...{ brokers: [brokers], tls: true, sasl: { username, ...login } },
      ...{ prefix: `${randomUUID()}.`, topics: TOPICS },
    };
    const open = () => openKafkaLog({ ...address, ...LIMITS, onError: (error) => heard.push(error) });
    return { address, open, heard };
  };

  test.each(mechanisms)('a user who logs in by %s writes and reads', async (mechanism) => {
    const { address, open } = openAs({ mechanism, password: secured.password });
    await applyTopics(address);
    const log = await open();
    await log.append([{ topic: 'kept', key: '', value: Buffer.from('said') }]);
    const consumer = await log.consume({ group: 'group', topics: ['kept'] });
    const batch = await consumer.poll({ maxBytes: 1_000, waitMs: 10_000 });
    expect(batch?.records.map(({ value }) => value.toString())).toEqual(['said']);
    await log.close();
  });

  test.each(mechanisms)('a wrong password by %s is refused at once, and told nobody', async (mechanism) => {
    const { address, open, heard } = openAs({ mechanism, password: WRONG });
    for (const attempt of [open, () => applyTopics(address)]) {
      const error: unknown = await attempt().catch((e: unknown) => e);
      expect(error).toMatchObject({ code: 'kafka_login_refused' });
      expect(inspect([error, heard], { depth: 10, showHidden: true })).not.toContain(WRONG);
    }
  });

  test('a certificate of an authority that nobody knows is refused at once', async () => {
    setDefaultCACertificates(known);
    try {
      const { open } = openAs({ mechanism: 'plain', password: secured.password });
      await expect(open()).rejects.toMatchObject({ code: 'kafka_tls_refused' });
    } finally {
      setDefaultCACertificates([...known, certificate]);
    }
  });

  test('a process with a wrong password ends at its start and says why, without the password', async () => {
    const folder = temporaryFolder();
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, certificate);
    const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, ['start', 'sink'], {
      KAFKA_BROKERS: brokers,
      KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: username,
      KAFKA_SASL_PASSWORD: WRONG,
      NODE_EXTRA_CA_CERTS: authority,
      SCHEMA_REGISTRY_URL: `http://${username}:${WRONG}@127.0.0.1:1`,
      SPOOR_CHAINS: 'solana=http://127.0.0.1:1',
      SPOOR_DATA: join(folder, 'data'),
      SPOOR_LOG_LEVEL: 'trace',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('the brokers refuse the login');
    expect(stdout + stderr).not.toContain(WRONG);
  });
});
