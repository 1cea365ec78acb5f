import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { afterAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../testing/browser/open-browser.ts';
import { createPages, exact, placesOf } from '../../testing/console/console-pages.ts';
import { madeFlow } from '../../testing/console/made-flow.ts';
import { createTheftReader, startTheftApi } from '../../testing/console/theft-api.ts';
import { COURIER, FIRST_HASH, POISON, THIEF } from '../../testing/console/theft-story.ts';
import { createMemoryReader } from '../../testing/memory-reader.ts';
import { openIdempotentApi } from '../../testing/open-idempotent-api.ts';
import { readWhenAsked } from '../../testing/read-when-asked.ts';
import { showFlow } from './flow/show-flow.ts';
import type { ViewEvent } from './flow/view-events.ts';

const found = await findBrowser();
const why = 'reason' in found ? ` (left out, no browser starts here: ${found.reason})` : '';
const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf('reason' in found)(`the console in a real browser${why}`, () => {
  const { browser } = found as Extract<typeof found, { browser: unknown }>;
  afterAll(() => browser.close());

  const { open, openFlow } = createPages(browser);

  test('a pasted link to an address leads to its flow, and the outcomes add up to what was taken', async () => {
    const api = await startTheftApi();
    const { page } = await open(api.url, '/');
    await page.getByRole('searchbox').fill(`https://etherscan.io/address/${THIEF}`);
    await page.keyboard.press('Enter');
    const table = page.locator('.outcomes table').first();
    await table.waitFor();
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
    const amounts = rows.map(([, amount = '']) => exact(amount));
    const taken = exact((await table.locator('tfoot td').first().textContent()) ?? '');
    expect(amounts.reduce((sum, raw) => sum + raw, 0n)).toBe(taken);
    expect(taken).toBe(100n * 10n ** 18n);
    expect(rows.map(([outcome]) => outcome)).toEqual(
      expect.arrayContaining(['At an exchange', 'Into a bridge', 'At rest in wallets']),
    );
  });

  test('at most 60 cards are drawn; an opened fold and a crossed bridge move none of them; undo and redo restore', async () => {
    const { page } = await openFlow();
    const before = await placesOf(page);
    expect(before.size).toBe(60);
    await page.locator('.fold').click();
    const opened = await placesOf(page);
    expect(opened.size).toBe(60);
    expectUnmoved(before, opened);
    await page.getByRole('button', { name: /Gate bridge/ }).click();
    await page.getByRole('button', { name: 'Follow it further on base' }).click();
    await page.locator('.card', { hasText: 'Far shop' }).waitFor();
    const crossed = await placesOf(page);
    expectUnmoved(before, crossed);
    expect([...crossed.keys()].some((key) => key?.startsWith('base '))).toBe(true);
    expect(await page.locator('.link.crossing').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await placesOf(page)).toEqual(opened);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await placesOf(page)).toEqual(before);
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByRole('button', { name: 'Redo' }).click();
    expect(await placesOf(page)).toEqual(crossed);
  });

  test('a pasted transaction shows what it moved, and leads on to the flow of who got it', async () => {
    const api = await startTheftApi();
    const { page } = await open(api.url, '/');
    await page.getByRole('searchbox').fill(`https://etherscan.io/tx/${FIRST_HASH}`);
    await page.keyboard.press('Enter');
    await page.getByText('60 ETH').waitFor();
    await Promise.all([
      page.waitForURL(/\/flow\?.*since=1000/),
      page.getByRole('link', { name: 'Follow it from here' }).click(),
    ]);
    await page.locator('.card').first().waitFor();
  });

  test('of a flow of 300 wallets 60 are drawn, the others are counted in folds, and it can be worked with', async () => {
    const api = await startTheftApi();
    const payments = Array.from({ length: 299 }, (_, at) => ({
      from: at < 9 ? 'start' : `w${at % 9}`,
      to: `w${at}`,
      raw: BigInt(3_000_000_000 - at),
    }));
    const step = { type: 'answered', flow: madeFlow(payments), from: null };
    const made = await (await api.post('/console/cases', { name: 'Wide', step })).json();
    const { page } = await open(api.url, `/case?id=${made.id}`);
    await page.locator('.card').first().waitFor();
    expect(await page.locator('.card').count()).toBe(60);
    const folds = await page.locator('.fold').allTextContents();
    const folded = folds.map((text) => Number(/\+(\d+) wallets/.exec(text)?.[1]));
    expect(folded.reduce((sum, count) => sum + count, 0)).toBe(240);
    const before = await placesOf(page);
    await page.locator('.fold').last().press('Enter');
    const after = await placesOf(page);
    expect(after.size).toBe(60);
    expectUnmoved(before, after);
    expect([...after.keys()].some((key) => !before.has(key))).toBe(true);
  });

  test('the way back names who paid, and leads on to the transaction', async () => {
    const api = await startTheftApi();
    const { page } = await open(api.url, '/');
    await page.getByRole('searchbox').fill(COURIER);
    await page.getByLabel('Question').selectOption('Where did it come from?');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'The way back' }).waitFor();
    const [row] = await page.locator('tbody tr').allTextContents();
    expect(row?.toLowerCase()).toContain(`${THIEF.slice(0, 6)}…${THIEF.slice(-5)}`);
    expect(row).toContain('40 ETH');
  });

  test('while a call runs it says so, and a reader who cancels it can ask again', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reader = createTheftReader();
    const slow: typeof reader = {
      ...reader,
      contiguousRange: async (...asked) => {
        await gate;
        return reader.contiguousRange(...asked);
      },
    };
    const api = await startTheftApi({ reader: slow });
    const { page } = await open(api.url, `/flow?chain=ethereum&address=${THIEF}&asset=native`);
    await page.getByRole('progressbar').waitFor();
    await page.getByText('Following the money').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Follow the money' }).waitFor();
    await expect
      .poll(() => api.log.some(({ fields }) => 'status' in fields && fields.status === 499))
      .toBe(true);
    release();
    await page.getByRole('button', { name: 'Follow the money' }).click();
    await page.locator('.card').first().waitFor();
  });

  test('while histories are read for a call it says whose, and then shows the answer', async () => {
    const nothing = { reader: createMemoryReader([]) };
    const { ports, overrides } = readWhenAsked(nothing, { reader: createTheftReader() }, 2_000);
    let tell = (): void => {};
    const isSeen = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const askForWallet: typeof overrides.askForWallet = async (...asked) => {
      void isSeen.then(() => overrides.askForWallet(...asked));
      return { withinSeconds: 40 };
    };
    const api = await startTheftApi({ ...ports, ...overrides, askForWallet });
    const { page } = await open(api.url, `/flow?chain=ethereum&address=${THIEF}&asset=native`);
    const reading = `Following the money: reading ${THIEF.slice(0, 6)}…${THIEF.slice(-5)} on ethereum`;
    await page.getByText(new RegExp(`${reading}, about \\d+ seconds left`, 'i')).waitFor();
    expect(await page.getByRole('progressbar').getAttribute('max')).toBe('1');
    tell();
    await page.locator('.card').first().waitFor();
  });

  test('every transfer of the answer is in the table and in the CSV file', async () => {
    const { page, flow } = await openFlow();
    const transfers = flow.edges.flatMap(({ transactions }) =>
      transactions.map(({ signature }) => signature),
    );
    expect(await page.locator('table.evidence tbody tr').count()).toBe(transfers.length);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[2])).toEqual(expect.arrayContaining(transfers));
    expect(lines).toHaveLength(transfers.length + 1);
  });

  test('each exported file holds what is shown: picture, steps, and the Flow Case of Etherscan', async () => {
    const { page, flow } = await openFlow();
    const save = async (name: string): Promise<Buffer> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name, exact: true }).click(),
      ]);
      return readFile(await file.path());
    };
    const svg = (await save('SVG')).toString();
    for (const address of await page.locator('[data-card] b').allTextContents())
      expect(svg).toContain(`>${address}`);
    expect(svg).toContain((await page.locator('.fold').textContent()) ?? 'no fold');
    expect(svg).not.toContain('<img');
    const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
    const png = await save('PNG');
    expect(png.toString('latin1', 1, 4)).toBe('PNG');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([Number(width), Number(height)]);
    const { done } = JSON.parse((await save('JSON')).toString()) as { done: readonly ViewEvent[] };
    const cards = showFlow(done).chosen.cards.map(({ key }) => key);
    expect(cards.sort()).toEqual([...(await placesOf(page)).keys()].sort());
    const { nodes, edges } = JSON.parse((await save('Flow Case')).toString());
    expect(nodes).toHaveLength(flow.nodes.length);
    expect(edges.map(({ txhash }: { txhash: string }) => txhash)).toEqual(
      flow.edges.map(({ transactions }) => transactions[0]?.signature),
    );
  });

  test('on paper stand the outcomes, the whole picture and the evidence, and nothing to click', async () => {
    const { page } = await openFlow();
    await page.emulateMedia({ media: 'print' });
    // The heads of columns stay, as words.
    expect(await page.locator(':is(button, input, select):not(th *):visible').count()).toBe(0);
    for (const shown of ['.outcomes table', 'figure.printed img', 'table.evidence'])
      expect(await page.locator(shown).first().isVisible()).toBe(true);
    // Whole, so that somebody else can check it.
    const hash = page.locator('table.evidence a[title]').first();
    const printed = (it: Element): string => getComputedStyle(it, '::after').content;
    expect(await hash.evaluate(printed)).toBe(`"${await hash.getAttribute('title')}"`);
    const drawn = page.locator('figure.printed img');
    expect(await drawn.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(1_000);
    const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g) ?? [];
    expect(pages.length).toBeGreaterThan(1);
  });

  test('single transactions are drawn as lines of their own, and merged again by undo', async () => {
    const { page, flow } = await openFlow();
    const lines = page.locator('.react-flow__edge');
    const relations = await lines.count();
    await page.getByLabel('Lines').selectOption('transactions');
    // The thief paid the courier twice.
    expect(flow.edges.map(({ transactions_total }) => transactions_total)).toContain(2);
    expect(await lines.count()).toBe(relations + 1);
    await page.getByText('15 ETH, 1970-01-01 00:19').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await lines.count()).toBe(relations);
  });

  test('one move of the time slider is one step, and it hides what came later', async () => {
    const { page } = await openFlow();
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText(/wallets are hidden/).waitFor();
    expect(await page.locator('.card').count()).toBe(2);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Nothing is hidden.').waitFor();
    expect(await page.getByRole('button', { name: 'Undo' }).isDisabled()).toBe(true);
  });

  test('what a filter hides is counted, and its money named', async () => {
    const { page, flow } = await openFlow();
    const unlabelled = flow.nodes.filter(({ label, is_start }) => label === null && !is_start).length;
    await page.getByRole('checkbox', { name: 'unlabelled' }).uncheck();
    await page.getByText(`${unlabelled} wallets are hidden, through which`).waitFor();
  });

  test('the name that an attacker chose stays text, cut, with its turning characters shown', async () => {
    const { page, complaints } = await openFlow();
    const shown = page.locator('.card .label', { hasText: '<img src=x' });
    expect(await shown.textContent()).toContain('⟨U+202E⟩');
    expect(await shown.textContent()).not.toContain(POISON);
    // Ours is the picture for paper.
    expect(await page.locator('img:not(figure.printed > img)').count()).toBe(0);
    expect(await page.title()).toBe('Spoor');
    expect(complaints).toEqual([]);
  });

  test('the whole flow is reached by keyboard alone', async () => {
    const { page } = await openFlow();
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('data-card') ?? null);
    for (let tabs = 0; tabs < 60 && (await focused()) === null; tabs++) await page.keyboard.press('Tab');
    expect((await focused())?.toLowerCase()).toBe(`ethereum ${THIEF} native`);
    await page.keyboard.press('ArrowRight');
    const helper = await focused();
    await page.keyboard.press('ArrowDown');
    const courier = await focused();
    expect(new Set([helper, courier]).size).toBe(2);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    expect(await focused()).toBe(helper);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Chosen wallet' }).waitFor();
    await page.keyboard.press('Control+z');
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
  });

  test('nothing but the service itself is asked, and the policy has nothing to refuse', async () => {
    const { page, api, origins, complaints } = await openFlow();
    await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PNG' }).click()]);
    expect([...origins]).toEqual([api.url]);
    expect(complaints).toEqual([]);
  });

  test('on a paid service nothing is asked before the price is shown and the reader agrees; the key stays in the tab', async () => {
    await using billed = await openIdempotentApi({ reader: createTheftReader() });
    const { page } = await open(billed.api.url, '/access');
    await page.getByLabel('API key').fill(billed.key);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.goto(`${billed.api.url}/flow?chain=ethereum&address=${THIEF}&asset=native`);
    await page.getByText('costs 2 analyses or 2 credits ($0.10)').waitFor();
    expect(await page.locator('.card').count()).toBe(0);
    await page.getByRole('button', { name: 'Follow the money' }).click();
    await page.locator('.card').first().waitFor();
    expect(page.url()).not.toContain(billed.key);
  });

  /** Each page over the theft, and what it shows when it is whole. */
  const viewsOf = async (api: Awaited<ReturnType<typeof startTheftApi>>) => {
    const asked = { chain: 'ethereum', address: THIEF, asset: 'native', graph: true };
    const flow = await (await api.post('/follow', asked)).json();
    const step = { type: 'answered', flow, from: null };
    const made = await (await api.post('/console/cases', { name: 'A case', step })).json();
    const shared = await (await api.post(`/console/cases/${made.id}/link`, '')).json();
    const subject = `chain=ethereum&address=${THIEF}`;
    return [
      ['/', 'h2'],
      [`/flow?${subject}&asset=native`, '.card'],
      [`/case?id=${made.id}`, '.card'],
      [`/shared#${shared.link}`, '.card'],
      ['/case?id=none', '[role=alert]'],
      [`/origin?chain=ethereum&address=${COURIER}`, 'tbody tr'],
      [`/wallet?${subject}`, 'h2, [role=alert]'],
      [`/token?${subject}`, 'h2, [role=alert]'],
      [`/thief?${subject}`, 'h2, [role=alert]'],
      [`/transaction?chain=ethereum&hash=${FIRST_HASH}`, 'h2, [role=alert]'],
      ['/candidates', 'h1'],
      ['/access', 'h1'],
    ] as const;
  };

  test.each(['light', 'dark'] as const)(
    'axe finds nothing wrong on any page, %s and 360 pixels wide, and none is wider',
    async (colorScheme) => {
      const api = await startTheftApi();
      // The policy of the page would refuse the script of the test.
      const viewport = { width: 360, height: 640 };
      const { page } = await open(api.url, '/', { colorScheme, bypassCSP: true, viewport });
      for (const [path, shown] of await viewsOf(api)) {
        await page.goto('about:blank');
        await page.goto(api.url + path);
        await page.locator(shown).first().waitFor();
        if (shown === '.card') await page.locator('.card .face').first().press('Enter');
        expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(
          360,
        );
        await page.addScriptTag({ content: AXE });
        const violations = await page.evaluate(async () => {
          const { axe } = globalThis as unknown as {
            axe: { run: () => Promise<{ violations: Violation[] }> };
          };
          return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
        });
        expect(violations, path).toEqual([]);
      }
    },
  );

  test('the case is reached, noted, coloured and shared by keyboard alone', async () => {
    const { page } = await openFlow();
    await page.locator('.card').first().waitFor();
    const tabTo = async (name: RegExp, key = 'Tab'): Promise<void> => {
      const focused = () =>
        page.evaluate(() => {
          const it = document.activeElement;
          const named =
            it?.getAttribute('aria-label') ?? it?.closest('label')?.textContent ?? it?.textContent;
          return named ?? '';
        });
      for (let tabs = 0; tabs < 200 && !name.test(await focused()); tabs++) await page.keyboard.press(key);
      expect(await focused()).toMatch(name);
    };
    await tabTo(/^0x5[aA][aA][eE]/);
    await page.keyboard.press('Enter');
    await tabTo(/^Note/);
    await page.keyboard.type('the thief');
    await page.keyboard.press('Enter');
    await page.locator('.card .note', { hasText: 'the thief' }).waitFor();
    await tabTo(/^amber$/);
    await page.keyboard.press('Enter');
    await page.locator('.card[data-colour=amber]').waitFor();
    await tabTo(/^Make a link to read$/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Whoever has this link').waitFor();
    await page.keyboard.press('Control+z');
    await page.locator('.card[data-colour=amber]').waitFor({ state: 'detached' });
  });
});

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

const expectUnmoved = (
  before: ReadonlyMap<string | null, string>,
  after: ReadonlyMap<string | null, string>,
): void => {
  for (const [card, place] of before) if (after.has(card)) expect(after.get(card)).toBe(place);
};
