import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../demo-world/random.ts';
import { systemClock } from '../platform/clock.ts';
import { costs, madeUpResult } from '../testing/retrace/made-up-traces.ts';
import { openJobEngine } from '../testing/retrace/open-job-engine.ts';
import { startProgram } from '../testing/run-program.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openJobDesk, type ShownResult } from './job-desk.ts';

const WORKING = [process.execPath, 'services/testing/retrace/job-process.ts'] as const;
const ANCHORS = 2_000;
const CREDITS = 10_000;
const PRICE = 2;
/** After a trace and before it is kept; at the first call to the ledger; in the midst of them; between two waves; and once more each. */
const MOMENTS = [1, 2].flatMap(() => [
  /^traced$/m,
  /^charging$/m,
  /^(charging\n){45}/m,
  /traced\n(charging\n)+traced/,
]);
const wallets = Array.from({ length: ANCHORS }, (_, at) => `w${at}`);

test('a worker that is killed with −9 at any moment repeats and loses no result, and charges each anchor once', async () => {
  const folder = temporaryFolder();
  const { log, codec, ledger, close } = await openJobEngine({ folder, kafka: null });
  const desk = await openJobDesk({
    log,
    codec,
    clock: systemClock,
    onError: (error) => expect.unreachable(String(error)),
  });
  onTestFinished(async () => {
    await desk.stop();
    await close();
  });
  await ledger.submit('account:a', { type: 'AddCredits', id: 'pack', credits: CREDITS });
  const job = await desk.ask({
    ...{ jobId: 'j', accountId: 'a', keyId: 'k', requestHash: 'h', everySeconds: 0 },
    anchors: wallets.map((wallet) => ({ wallet })),
  });
  const random = createRandom(5);
  for (const moment of MOMENTS) {
    const program = startProgram(WORKING, [folder], {});
    await program.printed(moment);
    await sleep(random.between(0, 20));
    program.process.kill('SIGKILL');
    await program.ended;
  }
  expect(job.runEndedUnixMs).toBeNull();
  const last = startProgram(WORKING, [folder], {});
  await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
  last.process.kill('SIGKILL');
  await last.ended;

  const shown: ShownResult[] = [];
  for (let from = { told: 0, item: 0 }; ; ) {
    const { items, next } = await desk.results(job, from, 70);
    if (items.length === 0) break;
    shown.push(...items);
    from = next;
  }
  expect(shown.map(({ anchor }) => anchor.wallet)).toEqual(wallets);
  for (const { anchor, place: _, run: __, atUnixMs: ___, ...result } of shown)
    expect(result).toEqual(madeUpResult(anchor));
  const priced = wallets.filter(costs).length;
  expect(job.charged).toBe(priced);
  await expect.poll(() => ledger.balance('account:a').openCalls).toBe(0);
  expect(ledger.balance('account:a').packCredits).toBe(CREDITS - PRICE * priced);
});
