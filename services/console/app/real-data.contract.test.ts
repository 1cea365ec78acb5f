import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findBlockFiles } from '../../ingest/files/block-files.ts';
import { findBrowser } from '../../testing/browser/open-browser.ts';
import { buildLabel } from '../../testing/build-label.ts';
import { createPages } from '../../testing/console/console-pages.ts';
import { openCases } from '../../testing/console/open-cases.ts';
import { describeWithSharedData, sharedData } from '../../testing/shared-data.ts';
import { startApi } from '../../testing/start-api.ts';
import { TableStage } from '../../testing/table-stage.ts';
import { copyServiceEntries } from '../../warehouse/labels/copy-service-entries.ts';
import { insertLabels } from '../../warehouse/labels/insert-labels.ts';
import { updateServiceWallets } from '../../warehouse/labels/update-service-wallets.ts';
import { createCaseReader } from '../../warehouse/read/create-case-reader.ts';
import { createControlReader } from '../../warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../../warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../../warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../../warehouse/read/create-token-reader.ts';
import { createTraceReader } from '../../warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../../warehouse/read/create-transfer-reader.ts';

const THIEF = '0x49e9d8fbacd1fb4aeb65a47d89e182c715351b9b';
const LISTED = '0x83a0ff19b0f525e0daa8d266b2e9f6ab0701ed33';
const OKX = '0x6cc5f688a315f3dc28a7781717a9a798a59fda7b';
const SWEEPER = '0x903a93cc48217e71117010bac63fd21fbb5ce82d';

const found = await findBrowser();
const why = 'reason' in found ? ` (left out, no browser starts here: ${found.reason})` : '';

describeWithSharedData(`the console over real blocks${why}`, () => {
  describe.skipIf('reason' in found)('in a real browser', () => {
    const { browser } = found as Extract<typeof found, { browser: unknown }>;
    const stage = new TableStage();
    const { open } = createPages(browser);

    beforeAll(async () => {
      for (const folder of [
        'label-of-a-key-on-another-chain/okx-on-base',
        'victims-7702-sweeper/sweeper-7702',
      ])
        for await (const file of findBlockFiles([sharedData(`cases/outside/${folder}`)], {
          chain: null,
          votes: 'sum',
        }))
          await stage.insert([(await file.read()).decode()]);
      const okx = buildLabel({
        chain: 'ethereum',
        address: OKX,
        kind: 'exchange',
        name: 'OKX',
        entity: 'okx',
      });
      const { writer } = stage.warehouse;
      const sequence = stage.takeSequence();
      await insertLabels(writer, [{ sequence, event: { type: 'LabelAsserted', label: okx } }]);
      await updateServiceWallets(writer, [{ chain: 'ethereum', address: OKX, sequence }]);
      while (await copyServiceEntries({ client: writer, untilStored: async () => {} }));
    });
    afterAll(() => browser.close());

    const start = async () => {
      const { reader: client } = stage.warehouse;
      const clock = { nowUnixMs: () => 1_780_100_000_000 };
      const controls = createControlReader(client, clock);
      const api = await startApi({
        ...{ reader: createTransferReader(client, clock), profileReader: createProfileReader(client, clock) },
        ...{ traceReader: createTraceReader(client, clock), control: controls, controls, clock },
        ...{ cases: createCaseReader(client), funders: createFunderReader(client) },
        ...{ tokens: createTokenReader(client), chains: ['ethereum', 'base'], caseDesk: await openCases() },
      });
      onTestFinished(() => api.close({ graceMs: 0 }));
      return api;
    };

    test('all pages show it: from the start to the flow, its case, candidates, a profile, a transaction, victims and a token', async () => {
      const api = await start();
      const { page, complaints } = await open(api.url, '/');
      await page.getByRole('searchbox').fill(THIEF);
      await page.getByRole('heading', { name: 'What this instance has read' }).waitFor();
      await page.goto(`${api.url}/flow?chain=base&address=${THIEF}&since=1780000500`);
      await page.locator('.card', { hasText: 'OKX' }).waitFor();
      // The whole way of the money: the thief, the listed wallet, and the exchange.
      const cards = await page
        .locator('.card b')
        .evaluateAll((all) => all.map((card) => card.getAttribute('title')?.toLowerCase()));
      expect(cards).toEqual(expect.arrayContaining([THIEF, LISTED, OKX]));
      await page.getByRole('rowheader', { name: 'At an exchange' }).waitFor();
      const kept = page.url();
      expect(kept).toContain('/case?id=');

      await page.locator('.card', { hasText: 'OKX' }).locator('.face').click();
      await page
        .getByRole('link', { name: /^Who took .* out again/ })
        .first()
        .click();
      await page.getByRole('heading', { name: 'Who took this out again?' }).waitFor();
      await page.getByRole('heading', { name: 'Candidates' }).waitFor();

      await page.goto(kept);
      await page.locator('table.evidence td a').first().click();
      await page.getByRole('heading', { name: 'Movements' }).waitFor();
      expect(await page.locator('tbody tr').count()).toBeGreaterThan(0);

      await page.goto(`${api.url}/wallet?chain=base&address=${OKX}`);
      await page.getByRole('heading', { name: 'OKX' }).waitFor();
      await page.goto(`${api.url}/thief?chain=ethereum&address=${SWEEPER}`);
      await page.getByText('permissions are still open').waitFor();
      await page.goto(`${api.url}/token?chain=ethereum&address=${SWEEPER}`);
      await page.getByRole('heading', { name: 'Insiders' }).waitFor();
      await page.getByText('No settled block names the token.').waitFor();
      await page.goto(`${api.url}/access`);
      await page.getByText('calls need no key').waitFor();
      expect(complaints.filter((it) => !it.includes('status of 4'))).toEqual([]);
    });
  });
});
