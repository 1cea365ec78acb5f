import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** A real browser, or the reason why there is none here. */
export type Found = { readonly browser: Browser } | { readonly reason: string };

/**
 * The carried browser is meant for short functions: with a single process it ends with its first page. Pages of other
 * sites must find the walls that they find in everybody's browser.
 */
const UNWANTED = new Set([
  '--single-process',
  '--no-zygote',
  '--disable-web-security',
  '--disable-site-isolation-trials',
  '--allow-running-insecure-content',
]);

/** The browser that npm carries; `SPOOR_TEST_BROWSER` names another. */
export const findBrowser = async (): Promise<Found> => {
  try {
    const named = process.env.SPOOR_TEST_BROWSER;
    const { default: carried } = await import('@sparticuz/chromium');
    const executablePath = named ?? (await unpackOnce(() => carried.executablePath()));
    const args = carried.args.filter((arg) => !UNWANTED.has(arg));
    const browser = await chromium.launch({ executablePath, args, headless: true });
    return { browser };
  } catch (error) {
    return { reason: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) };
  }
};

const UNPACKING_MS = 60_000;

/** Several workers may begin at once: one unpacks the browser, and the others wait until it is whole. */
const unpackOnce = async (unpack: () => Promise<string>): Promise<string> => {
  const whole = join(tmpdir(), 'browser-unpacked');
  const isFirst = await mkdir(join(tmpdir(), 'browser-unpacking')).then(
    () => true,
    () => false,
  );
  const endMs = performance.now() + UNPACKING_MS;
  while (!isFirst && !existsSync(whole) && performance.now() < endMs) await sleep(50);
  const path = await unpack();
  await writeFile(whole, '');
  return path;
};

export type Watched = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Origins that were asked. */
  readonly origins: ReadonlySet<string>;
  /** Errors of scripts, and what the content security policy refused. */
  readonly complaints: readonly string[];
};

/** A page in a context of its own, which notes every origin that it asks and every error. */
export const openPage = async (
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Watched> => {
  const context = await browser.newContext({ viewport: { width: 1_300, height: 900 }, ...options });
  const page = await context.newPage();
  const origins = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:') origins.add(origin);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return { page, context, origins, complaints };
};
