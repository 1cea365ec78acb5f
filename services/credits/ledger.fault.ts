import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createRandom } from '../demo-world/random.ts';
import { type LedgerPlace, openLedgerEngine } from '../testing/ledger/open-ledger-engine.ts';
import { openLedgerOn } from '../testing/ledger/temporary-ledger.ts';
import { startProgram } from '../testing/run-program.ts';
import { auditLedger } from './audit.ts';

const CALLING = [process.execPath, 'services/testing/ledger/calling-process.ts'] as const;
const CREDITS = 1_000_000;

const readPosted = async ({ log, codec }: Awaited<ReturnType<typeof openLedgerEngine>>) => {
  const posted = new Set<string>();
  for (const range of await log.ranges('ledger.events')) {
    const records = await log.read({ ...range, offset: 0, maxBytes: 1 << 30 });
    for (const { event } of records.map(({ value }) => codec.decodeEntry(value)))
      if (event.type === 'CallPosted') posted.add(event.callId);
  }
  return posted;
};

/** What the ledger guarantees when processes die, on every engine of the event log. */
export const testLedgerFaults = (provision: () => LedgerPlace, { rounds }: { rounds: number }): void => {
  test('processes that share the ledger are killed at any moment: what was answered stands, and what was reserved comes back', async () => {
    const place = provision();
    const random = createRandom(1);
    const operator = await openLedgerOn(await openLedgerEngine(place));
    for (const payer of ['a', 'b'])
      await operator.ledger.submit(`account:${payer}`, { type: 'AddCredits', id: 'pack', credits: CREDITS });
    // From here on the caller's process decides, too.
    await operator.close();

    const answered: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const programs = ['a', 'b'].map((payer) => startProgram(CALLING, [JSON.stringify(place), payer], {}));
      await Promise.all(programs.map((program) => program.printed(/^posted /m)));
      for (const program of programs) {
        await sleep(random.between(0, 300));
        program.process.kill('SIGKILL');
        await program.ended;
        answered.push(
          ...program
            .stdout()
            .matchAll(/^posted (\S{36})$/gm)
            .map(([, callId = '']) => callId),
        );
      }
    }

    const engine = await openLedgerEngine(place);
    const after = await openLedgerOn(engine);
    onTestFinished(() => after.close());
    const look = () => auditLedger({ ...engine, snapshot: null, tables: null });
    await expect.poll(look, { timeout: 30_000 }).toMatchObject({ open: 0 });
    const audit = await look();
    expect(audit).toMatchObject({ problems: [], creditsAdded: 2 * CREDITS });
    // A trace costs two pack credits.
    expect(audit.creditsLeft).toBe(2 * CREDITS - 2 * audit.posted);
    expect(audit.posted).toBeGreaterThanOrEqual(answered.length);
    const posted = await readPosted(engine);
    expect(answered.filter((callId) => !posted.has(callId))).toEqual([]);
  });
};
