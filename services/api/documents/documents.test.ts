import { expect, test } from 'vitest';
import { startApi } from '../../testing/start-api.ts';

const PAGES = [
  ['/openapi.json', 'application/json'],
  ['/docs', 'text/html'],
  ['/docs/start.js', 'text/javascript'],
  ['/docs/swagger-ui.css', 'text/css'],
  ['/docs/swagger-ui-bundle.js', 'text/javascript'],
  ['/llms.txt', 'text/plain'],
] as const;

test.each(PAGES)('%s is %s, free, and may be cached', async (path, type) => {
  await using api = await startApi();
  const response = await fetch(api.url + path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain(type);
  expect(response.headers.get('cache-control')).toContain('max-age');
  expect((await response.text()).length).toBeGreaterThan(100);
});

test.each(PAGES)(
  'who has %s already is told so, in either form, and another version is sent',
  async (path) => {
    await using api = await startApi();
    const first = await fetch(api.url + path);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    for (const coding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': coding, 'if-none-match': etag };
      const again = await fetch(api.url + path, { headers });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    }
    const other = await fetch(api.url + path, { headers: { 'if-none-match': 'W/"other"' } });
    expect([other.status, await other.text()]).toEqual([200, await first.text()]);
  },
);

test('the page of the documentation asks no other server for anything', async () => {
  await using api = await startApi();
  const response = await fetch(`${api.url}/docs`);
  const page = await response.text();
  expect(page).not.toMatch(/https?:\/\//);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'self'");
});

test('nobody frames the page of the documentation, or makes its forms and addresses lead elsewhere', async () => {
  await using api = await startApi();
  const { headers } = await fetch(`${api.url}/docs`);
  for (const rule of ["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "object-src 'none'"])
    expect(headers.get('content-security-policy')?.split('; ')).toContain(rule);
});

test.each(['/', '/docs', '/docs/start.js', '/openapi.json', '/status', '/nowhere', '/follow'])(
  'a browser takes what %s answers only for what it is said to be',
  async (path) => {
    await using api = await startApi();
    const { headers } = await fetch(api.url + path, { redirect: 'manual' });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  },
);

test('GET / says what this is and where to go, and shows browsers the console', async () => {
  await using api = await startApi();
  const answer = (await (await fetch(api.url)).json()) as Record<string, string>;
  for (const path of ['documentation', 'openapi', 'for_agents', 'status']) {
    expect((await fetch(api.url + answer[path])).status).toBe(200);
  }
  const browser = await fetch(api.url, { headers: { accept: 'text/html' } });
  expect(await browser.text()).toMatch(/<script type="module" src="\/console\/console\.js\?/);
  expect(browser.headers.get('content-security-policy')).toContain("script-src 'self'");
});

test('the document names every paid route with its price, and every route of the page for language models', async () => {
  await using api = await startApi();
  const { paths } = (await (await fetch(`${api.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Record<string, unknown>>>;
  };
  const llms = await (await fetch(`${api.url}/llms.txt`)).text();
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/follow', '/trace', '/status']));
  for (const [path, methods] of Object.entries(paths)) {
    expect(llms).toContain(path);
    for (const operation of Object.values(methods)) {
      const responses = operation.responses as object;
      expect('402' in responses).toBe(operation['x-payment-info'] !== undefined);
    }
  }
});

test('payments are announced only where they are taken', async () => {
  await using api = await startApi();
  expect((await fetch(`${api.url}/.well-known/x402`)).status).toBe(404);
});

test('public keys of what is signed are told, and no other half of them', async () => {
  const keys = [{ keyid: 'a', public_key: 'PEM', valid_from: 1, valid_to: null }];
  await using api = await startApi({ evidenceKeys: async () => keys });
  expect(await (await fetch(`${api.url}/.well-known/spoor-keys.json`)).json()).toEqual({ keys });
  await using without = await startApi();
  expect((await fetch(`${without.url}/.well-known/spoor-keys.json`)).status).toBe(404);
});
