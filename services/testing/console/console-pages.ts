import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import type { Flow } from '../../sdk/create-spoor.ts';
import { openPage } from '../browser/open-browser.ts';
import { startTheftApi } from './theft-api.ts';
import { THIEF } from './theft-story.ts';

type Options = Parameters<typeof openPage>[1];

/** Opens pages of a service, each in a browser context of its own, as another person would. */
export const createPages = (browser: Browser) => {
  const open = async (url: string, path: string, options: Options = {}) => {
    const watched = await openPage(browser, options);
    onTestFinished(() => watched.context.close());
    await watched.page.goto(url + path);
    return watched;
  };
  return {
    open,
    /** The flow of the theft, drawn, and the answer of the API to the same question. */
    openFlow: async (options: Options = {}) => {
      const api = await startTheftApi();
      const body = { chain: 'ethereum', address: THIEF, asset: 'native' };
      const asked = await api.post('/follow', JSON.stringify({ ...body, graph: true }));
      const flow = (await asked.json()) as Flow;
      const watched = await open(api.url, `/flow?${new URLSearchParams(body)}`, options);
      await watched.page.locator('.card').first().waitFor();
      return { ...watched, api, flow };
    },
  };
};

/** 18 decimals. */
export const exact = (text: string): bigint => {
  const [whole = '', fraction = ''] = text.replaceAll(',', '').split('.');
  return BigInt(whole + fraction.padEnd(18, '0'));
};

/** Where each card stands. */
export const placesOf = async (page: Page): Promise<ReadonlyMap<string | null, string>> =>
  new Map(
    await page
      .locator('.react-flow__node')
      .evaluateAll((all) =>
        all.map((node) => [node.getAttribute('data-id'), (node as HTMLElement).style.transform] as const),
      ),
  );
