import { expect, test } from 'vitest';
import type { Insiders, Victims } from '../../sdk/create-spoor.ts';
import { drawInsiders } from '../commands/insiders.ts';
import { drawVictims, victimsCommand } from '../commands/victims.ts';

test('where no server answers, the error names it and says what to do', async () => {
  const asked = victimsCommand().parseAsync(['ADDRESS', '--url', 'http://127.0.0.1:1'], { from: 'user' });
  await expect(asked).rejects.toMatchObject({
    code: 'NO_SERVER',
    message: expect.stringMatching(/No server answers at http:\/\/127\.0\.0\.1:1\. Start one/),
  });
});

test('of what the data never names nothing is said to be known, and no 0 stands for it', () => {
  const meta = { scope: 'no_data', detail: null };
  const lost = { totals: { victims: 0, transfers: 0, usd: 0, refunded: 0 }, victims: [], affiliates: [] };
  const victims = drawVictims({ address: 'A', label: null, ...lost, meta } as unknown as Victims);
  expect(victims).toContain('nothing is known');
  const held = { totals: { insiders: 0, share_held: 0 }, insiders: [], creator: null, launch: null };
  const insiders = drawInsiders({
    ...{
      token: { symbol: null, address: 'T' },
      ...held,
      why_none: 'No settled block names the token.',
      meta,
    },
  } as unknown as Insiders);
  expect(victims + insiders).not.toMatch(/\b0\b/);
});
