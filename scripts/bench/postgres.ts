import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DEBIAN = '/usr/lib/postgresql';
const CLIENTS = 64;
const ACCOUNTS = 1_000;
/** "nobody": the server refuses to run as root. */
const UNPRIVILEGED = 65_534;

const SCHEMA = `CREATE TABLE accounts (id int PRIMARY KEY, balance bigint NOT NULL);
INSERT INTO accounts SELECT i, 1000000000 FROM generate_series(1, ${ACCOUNTS}) AS i;`;
const RESERVE = `\\set id random(1, ${ACCOUNTS})
UPDATE accounts SET balance = balance - 2 WHERE id = :id AND balance >= 2;`;

/** The folder of Debian's newest PostgreSQL with pgbench; null if it is not installed. */
export const findPostgres = (): string | null => {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  return (
    folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pgbench'))) ??
    null
  );
};

/**
 * Reservations a second as one durable UPDATE each (default fsync and synchronous_commit), from 64 connections, on
 * a temporary server.
 */
export const measurePostgres = async (bin: string, seconds: number): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-bench-pg-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  const user = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  const run = (program: string, ...args: string[]): string => {
    const { status, stdout, stderr } = spawnSync(join(bin, program), args, {
      ...user,
      cwd: folder,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const data = join(folder, 'data');
  const script = join(folder, 'reserve.sql');
  writeFileSync(script, RESERVE, { mode: 0o644 });
  run(
    'initdb',
    '--pgdata',
    data,
    '--username',
    'bench',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
    '--locale',
    'C',
  );
  // Only a socket in its own folder.
  const options = [
    '-D',
    data,
    '-k',
    folder,
    '-c',
    'listen_addresses=',
    '-c',
    `max_connections=${CLIENTS + 6}`,
  ];
  const server = spawn(join(bin, 'postgres'), options, { ...user, cwd: folder, stdio: 'ignore' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const connection = ['--host', folder, '--username', 'bench'];
  try {
    await untilReady(() => run('psql', ...connection, '--dbname', 'postgres', '--command', 'SELECT 1'));
    run('psql', ...connection, '--dbname', 'postgres', '--command', SCHEMA);
    const load = [
      '--no-vacuum',
      '--client',
      `${CLIENTS}`,
      '--jobs',
      '2',
      '--time',
      `${seconds}`,
      '--protocol',
      'prepared',
    ];
    const report = run('pgbench', ...connection, ...load, '--file', script, 'postgres');
    const [, tps] = /^tps = ([\d.]+)/m.exec(report) ?? [];
    if (tps === undefined) throw new Error(`pgbench said something else: ${report}`);
    return Number(tps);
  } finally {
    server.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

const untilReady = async (ask: () => unknown): Promise<void> => {
  for (let tries = 0; ; tries++) {
    try {
      ask();
      return;
    } catch (error) {
      if (tries > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
};
