import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type ReadCase, readCase } from '../../../evidence/case-file.ts';
import { chooseKey } from '../../../evidence/choose-key.ts';
import { readStatement } from '../../../evidence/statement.ts';
import { verifyCase } from '../../../evidence/verify-case.ts';
import { toWholeText } from '../../../investigate/model/amount.ts';
import type { Flow } from '../../../sdk/create-spoor.ts';
import { findBrowser } from '../../../testing/browser/open-browser.ts';
import { readPdf } from '../../../testing/browser/read-pdf.ts';
import { createPages, placesOf } from '../../../testing/console/console-pages.ts';
import { openCases } from '../../../testing/console/open-cases.ts';
import { createTheftReader, startTheftApi } from '../../../testing/console/theft-api.ts';
import { POISON, THIEF } from '../../../testing/console/theft-story.ts';
import { openIdempotentApi } from '../../../testing/open-idempotent-api.ts';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';

const found = await findBrowser();
const why = 'reason' in found ? ` (left out, no browser starts here: ${found.reason})` : '';

describe.skipIf('reason' in found)(`cases in a real browser${why}`, () => {
  const { browser } = found as Extract<typeof found, { browser: unknown }>;
  afterAll(() => browser.close());
  const { open, openFlow } = createPages(browser);

  /** Opens a fold, crosses the bridge, writes a note, hides by a filter, and takes the last step back. */
  const work = async (page: Page): Promise<void> => {
    await page.locator('.fold').click();
    await page.getByRole('button', { name: /Gate bridge/ }).click();
    await page.getByRole('button', { name: 'Follow it further on base' }).click();
    await page.locator('.card', { hasText: 'Far shop' }).waitFor();
    await page.getByLabel('Note').fill('the gate');
    await page.getByRole('button', { name: 'Keep', exact: true }).click();
    await page.getByRole('checkbox', { name: 'unlabelled' }).uncheck();
    await page.getByText('wallets are hidden').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await untilKept(page);
  };
  const untilKept = (page: Page): Promise<void> => page.getByText('Kept', { exact: true }).waitFor();

  test('what was done is kept step by step: another browser shows the same, and its undo and redo', async () => {
    const { page, api } = await openFlow();
    await work(page);
    const places = await placesOf(page);
    const { page: other } = await open(api.url, '/');
    await other.getByRole('link', { name: /^Money of 0x5aae/ }).click();
    await other.locator('.card', { hasText: 'Far shop' }).waitFor();
    expect(await placesOf(other)).toEqual(places);
    expect(await other.locator('.card .note').textContent()).toBe('the gate');
    await other.getByRole('button', { name: 'Redo' }).click();
    await other.getByText('wallets are hidden').waitFor();
    await untilKept(other);
    // This page does not know it yet: its next step is refused, and it shows what is kept.
    await page.locator('.card', { hasText: 'Far shop' }).locator('.face').click();
    await page.getByRole('button', { name: 'red', exact: true }).click();
    await page.getByText('was changed elsewhere').waitFor();
    await page.getByRole('button', { name: 'Show the case as it is kept' }).click();
    await page.getByText('wallets are hidden').waitFor();
    expect(await placesOf(page)).toEqual(await placesOf(other));
  });

  test('a case is the same after the service was started again on its log', async () => {
    const folder = temporaryFolder();
    const desk = await openCases(folder);
    const first = await startTheftApi({ caseDesk: desk });
    const { page } = await open(first.url, `/flow?chain=ethereum&address=${THIEF}&asset=native`);
    await page.locator('.card').first().waitFor();
    await work(page);
    const places = await placesOf(page);
    const path = new URL(page.url()).pathname + new URL(page.url()).search;
    await first.close({ graceMs: 0 });
    const again = await startTheftApi({ caseDesk: await openCases(folder) });
    const { page: other } = await open(again.url, path);
    await other.locator('.card', { hasText: 'Far shop' }).waitFor();
    expect(await placesOf(other)).toEqual(places);
  });

  test('whoever has the link of a case sees the same and changes nothing, until it is revoked', async () => {
    const { page, api, complaints } = await openFlow();
    await work(page);
    await page.getByRole('button', { name: 'Make a link to read' }).click();
    const link = (await page.locator('.case code').textContent()) ?? '';
    expect(complaints).toEqual([]);
    const asked: string[] = [];
    const { page: guest } = await open(api.url, '/');
    guest.on('request', (request) => asked.push(`${request.method()} ${request.url()}`));
    await guest.goto(link);
    await guest.locator('.card', { hasText: 'Far shop' }).waitFor();
    expect(await placesOf(guest)).toEqual(await placesOf(page));
    await guest.getByRole('button', { name: /Gate bridge/ }).click();
    await guest.getByRole('complementary', { name: 'Chosen wallet' }).waitFor();
    for (const name of ['Keep', 'red', 'Rename', 'Delete'])
      expect(await guest.getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await guest.getByRole('button', { name: /Follow it further/ }).count()).toBe(0);
    await guest.getByRole('checkbox', { name: 'unlabelled' }).uncheck();
    await guest.getByText('wallets are hidden').waitFor();
    // The link is in no address that the browser asks for, and only reading is asked.
    const secret = link.split('#')[1] ?? 'none';
    expect(asked.filter((request) => request.includes(secret))).toEqual([]);
    expect(asked.filter((request) => request.startsWith('POST'))).toEqual([`POST ${api.url}/console/shared`]);
    await page.getByRole('button', { name: 'Revoke the link' }).click();
    await page.getByRole('button', { name: 'Make a link to read' }).waitFor();
    await guest.reload();
    await guest.getByText('This link opens nothing').waitFor();
  });

  test('the signed file of a case is got by a button, and what is in it is checked by the keys of the service', async () => {
    const { page, api, complaints } = await openFlow();
    await work(page);
    const [got] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Signed case' }).click(),
    ]);
    const found = readCase(readFileSync(await got.path()));
    const published = await (await fetch(`${api.url}/.well-known/spoor-keys.json`)).text();
    const { findings, rows } = verifyCase(found, chooseKey(published, found.envelope));
    expect(findings.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(new Set(rows.map(({ chain }) => chain))).toEqual(new Set(['ethereum', 'base']));
    expect(complaints).toEqual([]);
    expectReport(found, await print(found.files.get('report.html') ?? ''));
  });

  /** As whoever is handed the case prints it, without a network. */
  const print = async (report: string) => {
    const context = await browser.newContext({ offline: true, javaScriptEnabled: false });
    onTestFinished(() => context.close());
    const paper = await context.newPage();
    const asked: string[] = [];
    paper.on('request', (request) => asked.push(request.url()));
    await paper.setContent(report);
    const pages = await readPdf(await paper.pdf({ format: 'A4', preferCSSPageSize: true }));
    expect(asked).toEqual([]);
    return pages;
  };

  /** What one flow must have in the report of its case. */
  const partsOfFlow = ({ chain, coverage, edges, ends }: Flow): readonly string[] => {
    const sums = [...coverage.outcomes, coverage.taken].map(({ amount_raw }) => BigInt(amount_raw));
    const places = ends.flatMap(({ label }) => (label && label.name !== POISON ? [label] : []));
    return [
      ...['Chronology on', 'Picture of', 'Facts on', 'Inferences on'].map((part) => `${part} ${chain}`),
      ...sums.map((raw) => `${toWholeText(raw, 18)} ETH`),
      ...edges.flatMap(({ transactions }) => transactions.map(({ signature }) => signature)),
      ...places.map(({ name, kind }) => `For ${name} (${kind})`),
    ];
  };

  const expectReport = (found: ReadCase, pages: readonly string[]): void => {
    const text = pages.join('');
    const { answers } = JSON.parse(found.files.get('answer.json') ?? '') as { answers: readonly Flow[] };
    const { predicate, subject } = readStatement(Buffer.from(found.envelope.payload, 'base64').toString());
    const parts = [
      ...answers.flatMap(partsOfFlow),
      ...[predicate.evidence.merkle_root, subject.find(({ name }) => name === 'answer.json')?.digest.sha256],
      ...['Gate', 'Far shop'].flatMap(
        (name) => predicate.labels.find((label) => label.name === name) ?? name,
      ),
      ...[
        'Error rate of the rule',
        'not measured',
        'Method',
        'Limits, and what was not read',
        'How to verify',
      ],
      ...['1970-01-01 00:20:00 UTC', '<img src=x onerror='],
    ];
    const told = parts.map((part) =>
      typeof part === 'object' ? `${part.name}${part.kind}${part.source}` : part,
    );
    expect(told.filter((part) => part === undefined || !text.includes(part.replace(/\s/g, '')))).toEqual([]);
    for (const { coverage } of answers)
      expect(coverage.outcomes.reduce((sum, { amount_raw }) => sum + BigInt(amount_raw), 0n)).toBe(
        BigInt(coverage.taken.amount_raw),
      );
    expect(answers).toHaveLength(2);
    // A page for each part, and each says which it is.
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page, at) => !page.includes(`${at + 1}/${pages.length}`))).toEqual([]);
    expect(text).not.toContain(POISON.replace(/\s/g, ''));
  };

  test('a case is renamed, and deleted for good', async () => {
    const { page } = await openFlow();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Name of the case').fill('The theft of May');
    await page.getByRole('button', { name: 'Keep the name' }).click();
    await page.getByRole('heading', { name: 'The theft of May' }).waitFor();
    const address = page.url();
    await page.goto(new URL('/', address).href);
    await page.getByRole('link', { name: 'The theft of May' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it for good' }).click();
    await page.getByRole('searchbox').waitFor();
    expect(await page.getByRole('link', { name: 'The theft of May' }).count()).toBe(0);
    await page.goto(address);
    await page.getByText('Nothing was found').waitFor();
  });

  test('an account sees its own cases and another one sees none of them', async () => {
    const setting = { reader: createTheftReader(), caseDesk: await openCases() };
    await using billed = await openIdempotentApi(setting);
    const { api } = billed;
    const enter = async (page: Page, key: string): Promise<void> => {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Use this key' }).click();
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
    };
    const { page } = await open(api.url, '/access');
    await enter(page, billed.key);
    await page.goto(`${api.url}/flow?chain=ethereum&address=${THIEF}&asset=native`);
    await page.getByRole('button', { name: 'Follow the money' }).click();
    await page.locator('.card').first().waitFor();
    await untilKept(page);
    const { page: other } = await open(api.url, '/access');
    await enter(other, billed.keyOf('bea'));
    await other.goto(page.url());
    await other.getByText('Nothing was found').waitFor();
    await other.goto(api.url);
    await other.getByRole('heading', { name: 'What this instance has read' }).waitFor();
    expect(await other.getByRole('heading', { name: 'Recent cases' }).count()).toBe(0);
    await page.goto(api.url);
    await page.getByRole('link', { name: /^Money of 0x5aae/ }).waitFor();
  });
});
