import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { postAsAnalyst } from './ask-analyst.ts';
import { PROGRAMS, type Program, runProgram, startProgram } from './run-program.ts';
import { stopProgram, urlOf } from './service/running-service.ts';

export type Login = Record<'host' | 'user' | 'password' | 'database' | 'curl' | 'jdbc', string> & {
  port: number;
};
export type WorldOne = AsyncDisposable & {
  readonly env: Readonly<Record<string, string>>;
  readonly login: Login;
  /** For `askAnalyst`. */
  readonly analystUrl: string;
};

/**
 * Derivation rests four times as long as it worked, minutes on a busy machine, and deposit addresses bring more of them: only what stays the
 * same for so many looks is settled.
 */
const LOOK_MS = 15_000;
const SETTLED_AFTER = 12;
export const SETTLING_MS = 900_000;

const DERIVED = [
  'deposit_addresses',
  'first_funders',
  'labels',
  'lookalikes',
  'prices',
  'services',
  'tokens',
];
const COUNTS = DERIVED.map((view) => `SELECT '${view}', count() FROM ${view}`).join(' UNION ALL ');
/** A run of derivation that began before all blocks were there is followed by another, minutes later. */
const REACHES_LAST_BLOCK = `
SELECT dateDiff('hour', (SELECT max(time) FROM prices), (SELECT max(time) FROM blocks)) <= 2
  AND (SELECT count() FROM deposit_addresses) = (SELECT count() FROM labels WHERE source = 'behaviour')
  AND (SELECT count() FROM lookalikes) > 0`;

/** A service over world 1, once all is there that is derived from it. */
export const startWorldOne = async (): Promise<WorldOne> => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-world-'));
  const env = { SPOOR_DATA: folder, SPOOR_PORT: '0' };
  const service: Program = startProgram(PROGRAMS.server, [], env);
  await urlOf(service);
  const { stdout, stderr, code } = await runProgram(PROGRAMS.cli, ['sql-login', '--json'], env);
  expect(code, stderr).toBe(0);
  const login = JSON.parse(stdout) as Login;
  const { host, port, user, password, database } = login;
  const analystUrl = `http://${user}:${password}@${host}:${port}/?database=${database}`;
  let [earlier, equal] = ['', 0];
  const isSettled = async (): Promise<boolean> => {
    const { text } = await postAsAnalyst({ analystUrl }, `SELECT * FROM (${COUNTS}) ORDER BY 1`);
    const last = await postAsAnalyst({ analystUrl }, REACHES_LAST_BLOCK);
    equal = last.text.trim() === '1' && text === earlier ? equal + 1 : 0;
    earlier = text;
    return equal === SETTLED_AFTER;
  };
  await vi.waitUntil(isSettled, { timeout: SETTLING_MS, interval: LOOK_MS });
  return {
    ...{ env, login, analystUrl },
    [Symbol.asyncDispose]: async () => {
      await stopProgram(service);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
