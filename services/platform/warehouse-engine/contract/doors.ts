import { randomBytes } from 'node:crypto';
import { request as send } from 'node:http';
import { expect, test } from 'vitest';
import type { Suite } from './suite.ts';

/** Every path that ClickHouse 26.7 answers by itself: the names in `HTTPHandlerFactory.cpp` and in its library. */
const OTHER_DOORS = [
  ...['/webterminal', '/play', '/dashboard', '/merges', '/jemalloc', '/binary', '/schema', '/docs'],
  ...['/clickstack', '/clickstack/', '/replicas_status', '/metrics', '/query', '/index.html'],
  ...['/js/uplot.js', '/js/lz-string.js', '/js/xterm.min.js', '/js/addon-fit.min.js', '/js/katex.min.js'],
  ...['/js/marked.min.js', '/js/viz-standalone.js', '/.well-known/acme-challenge/x', '/api/v1/query'],
  // Ways to the same doors that a rule by prefix might let through.
  ...['//play', '/play/', '/ping/../webterminal', '/%70lay', '/pingx', '/ping/x'],
];
const SETTINGS = [
  'add_http_cors_header=1',
  'max_memory_usage_for_user=0',
  'max_concurrent_queries_for_user=0',
];

/** The port answers questions and /ping. ClickHouse has more behind it, some without a password or limits. */
export function describeDoors(suite: () => Suite): void {
  const roles = ['writerHeaders', 'readerHeaders', 'analystHeaders'] as const;

  test.each(['GET', 'POST', 'HEAD', 'OPTIONS'])(
    'nothing but queries and /ping answers to %s',
    async (method) => {
      const { url, writerHeaders } = suite().started;
      const opened: string[] = [];
      for (const path of OTHER_DOORS)
        for (const headers of [{}, writerHeaders]) {
          const answer = await fetch(`${url}${path}?query=SELECT+1`, { method, headers });
          const text = await answer.text();
          if (answer.ok) opened.push(`${path} => ${text.slice(0, 60)}`);
        }
      expect(opened).toEqual([]);
      expect((await fetch(`${url}/ping`)).ok).toBe(true);
    },
  );

  test('nobody gets a terminal: a connection is not turned into a web socket', async () => {
    const { url, analystHeaders } = suite().started;
    const upgrade = {
      ...{ connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' },
      'sec-websocket-key': randomBytes(16).toString('base64'),
    };
    for (const headers of [{}, analystHeaders]) {
      const status = await new Promise((resolve, reject) => {
        const asked = send(`${url}/webterminal`, { headers: { ...headers, ...upgrade } });
        asked.once('response', (answer) => resolve(answer.resume().statusCode));
        asked.once('upgrade', (_, socket) => {
          socket.destroy();
          resolve('upgraded');
        });
        asked.once('error', reject).end();
      });
      expect(status).toBe(404);
    }
  });

  test.each(roles)('a wrong password is refused, whoever %s is, however it is sent', async (role) => {
    const { url } = suite().started;
    const user = suite().started[role]['x-clickhouse-user'] ?? '';
    const basic = `Basic ${Buffer.from(`${user}:wrong`).toString('base64')}`;
    for (const [query, headers] of [
      ['', { 'x-clickhouse-user': user, 'x-clickhouse-key': 'wrong' }],
      ['', { authorization: basic }],
      [`&user=${user}&password=wrong`, {}],
    ] as const) {
      const answer = await fetch(`${url}/?query=SELECT+currentUser()${query}`, { headers });
      expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([403, '516']);
    }
  });

  test.each([...roles, null])(
    'no web page may read what %s is answered, by no query string',
    async (role) => {
      const { url } = suite().started;
      const headers = { ...(role && suite().started[role]), origin: 'http://elsewhere.example' };
      const answer = await fetch(`${url}/?query=SELECT+1&add_http_cors_header=1`, { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(answer.headers.get('x-clickhouse-exception-code')).toMatch(/^(164|452)$/);
    },
  );

  test.each(['readerHeaders', 'analystHeaders'] as const)(
    '%s: all questions together are bounded',
    async (role) => {
      const { url } = suite().started;
      const headers = suite().started[role];
      const query = `SELECT getSetting('max_memory_usage_for_user') > 0 AND
      getSetting('max_concurrent_queries_for_user') > 0`;
      const answer = await fetch(`${url}/?${new URLSearchParams({ query })}`, { headers });
      expect(await answer.text()).toBe('1\n');
      for (const setting of SETTINGS) {
        const lifted = await fetch(`${url}/?query=SELECT+1&${setting}`, { headers });
        expect([setting, lifted.headers.get('x-clickhouse-exception-code')]).toEqual([setting, '452']);
      }
    },
  );
}
