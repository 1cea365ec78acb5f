import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findBrowser, openPage } from '../services/testing/browser/open-browser.ts';

// Takes the pictures of the README from a running service: node scripts/screenshots.ts [url] [folder]
const [url = 'http://127.0.0.1:8402', folder = 'docs/pictures'] = process.argv.slice(2);

const found = await findBrowser();
if ('reason' in found) throw new Error(`no browser starts here: ${found.reason}`);
const { browser } = found;

/** The theft that the README follows, and a launch of the generated world. */
const PICTURES = [
  {
    ...{ name: 'flow', shown: '.card', height: 860, colorScheme: 'light' as const },
    path: '/flow?chain=solana&address=Dk79N92WanhK4n7CrYw38zoJspn9XNgLFQmsR3wEWojp&since=1756799060',
  },
  {
    ...{ name: 'insiders', shown: 'tbody tr', height: 620, colorScheme: 'dark' as const },
    path: '/token?chain=solana&address=AzSwzU41u1ZJ7WzUVybSf3c2GQxKA912JsUnQiKiZXZn',
  },
] as const;

await mkdir(folder, { recursive: true });
for (const { name, path, shown, height, colorScheme } of PICTURES) {
  const { page, context } = await openPage(browser, { viewport: { width: 1_280, height }, colorScheme });
  await page.goto(url + path);
  await page.locator(shown).first().waitFor();
  // The picture of the flow is drawn a moment after its cards.
  await page.waitForTimeout(1_500);
  const file = join(folder, `${name}.png`);
  await page.screenshot({ path: file });
  process.stdout.write(`${file}: ${(await stat(file)).size} bytes\n`);
  await context.close();
}
await browser.close();
