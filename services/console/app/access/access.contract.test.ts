import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../platform/free-port.ts';
import { findBrowser } from '../../../testing/browser/open-browser.ts';
import { createPages } from '../../../testing/console/console-pages.ts';
import { startTheftApi } from '../../../testing/console/theft-api.ts';
import { evmWallet, type Wallet } from '../../../testing/evm/evm-wallet.ts';
import { openAccountService, solanaWallet } from '../../../testing/open-account-service.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const found = await findBrowser();
const why = 'reason' in found ? ` (left out, no browser starts here: ${found.reason})` : '';

/** What the extension of a wallet puts on a page; the signature is made outside, as in an extension. */
const ETHEREUM = ({ address }: Wallet): string => `window.ethereum = {
  request: async ({ method, params }) => method === 'eth_requestAccounts' ? ['${address}'] : window.signText(params[0]),
}`;
const SOLANA = ({ address }: Wallet): string => `window.solana = {
  connect: async () => ({ publicKey: '${address}' }),
  signMessage: async (bytes) => ({
    signature: new Uint8Array(await window.signBytes(new TextDecoder().decode(bytes))),
  }),
}`;

describe.skipIf('reason' in found)(`access in a real browser${why}`, () => {
  const { browser } = found as Extract<typeof found, { browser: unknown }>;
  afterAll(() => browser.close());
  const { open } = createPages(browser);

  test.each([
    ['Ethereum wallet', evmWallet, ETHEREUM],
    ['Solana wallet', solanaWallet, SOLANA],
  ] as const)(
    'a reader signs in with the %s, and gets a key that stays in the tab and can be forgotten',
    async (name, makeWallet, inject) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const service = await openAccountService(temporaryFolder(), url, { port });
      const wallet = makeWallet();
      const { page, complaints } = await open(url, '/');
      await page.exposeFunction('signText', wallet.sign);
      await page.exposeFunction('signBytes', async (message: string) => {
        const { base58 } = await import('@scure/base');
        return [...base58.decode(await wallet.sign(message))];
      });
      await page.addInitScript(inject(wallet));
      await page.goto(`${url}/access`);
      await page.getByRole('button', { name }).click();
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      const [account] = service.directory.accounts();
      const [key] = service.directory.keysOf(account?.id ?? '');
      await page.getByRole('cell', { name: key?.prefix ?? 'no key' }).waitFor();
      expect(complaints).toEqual([]);
      expect(await page.evaluate(() => [localStorage.length, sessionStorage.length])).toEqual([0, 1]);
      expect(page.url()).toBe(`${url}/access`);
      await page.getByRole('button', { name: 'Forget the key' }).click();
      expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    },
  );

  test('where nobody has an account the page says that nothing costs anything, and asks for no key', async () => {
    const api = await startTheftApi();
    const { page } = await open(api.url, '/access');
    await page.getByText('calls need no key and cost nothing').waitFor();
    expect(await page.getByLabel('API key').count()).toBe(0);
  });

  test('a page of another site can neither frame the console, nor read nor change a case', async () => {
    const api = await startTheftApi();
    const evil = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${api.url}/"></iframe>`);
    });
    await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => evil.close(() => resolve())));
    const origin = `http://localhost:${(evil.address() as AddressInfo).port}`;
    const { page, complaints } = await open(origin, '/');
    await expect.poll(() => complaints.join(' ')).toMatch(/frame-ancestors|X-Frame-Options/i);
    const frame = page.frames().find((it) => it !== page.mainFrame());
    expect(await frame?.locator('.brand').count()).toBe(0);
    const attempts = await page.evaluate(async (url) => {
      const tried: string[] = [];
      for (const [method, path, body] of [
        ['GET', '/console/cases', undefined],
        ['POST', '/console/cases', '{"name":"x"}'],
        ['POST', '/console/shared', '{"link":"x"}'],
        ['DELETE', '/console/cases/x', undefined],
      ] as const)
        for (const mode of ['cors', 'no-cors'] as const)
          try {
            const { status, type } = await fetch(url + path, {
              ...{ method: mode === 'no-cors' && method === 'DELETE' ? 'POST' : method, mode },
              ...(body !== undefined && { body }),
            });
            tried.push(`${type} ${status}`);
          } catch {
            tried.push('refused');
          }
      return tried;
    }, api.url);
    // Without CORS a page may send, but it reads nothing, and the service refuses it.
    expect(attempts.filter((it) => it !== 'refused' && it !== 'opaque 0')).toEqual([]);
    const asked = api.log.filter(
      ({ fields }) => 'route' in fields && String(fields.route).startsWith('/console/'),
    );
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked.map(({ fields }) => (fields as { errorCode?: unknown }).errorCode))).toEqual(
      new Set(['cross_site']),
    );
  });

  test('the policy of the page allows no inline script, no inline style, no frame and nothing of others', async () => {
    const api = await startTheftApi();
    for (const path of ['/', '/flow', '/case', '/shared', '/access', '/console/console.js']) {
      const response = await fetch(api.url + path, { headers: { accept: 'text/html' } });
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(response.headers.get('x-frame-options')).toBe('DENY');
      expect(response.headers.get('referrer-policy')).toBe('no-referrer');
      await response.text();
    }
  });
});
