import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventLog } from '../platform/event-log/event-log.ts';
import { type OpenedLedger, openLedgerOn } from '../testing/ledger/temporary-ledger.ts';
import { PATIENCE } from '../testing/patience.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { auditLedger } from './audit.ts';
import type { LedgerCommand } from './decider/commands.ts';
import { type LedgerOptions, LedgerUnavailableError } from './ledger.ts';
import type { LedgerCodec } from './ledger-codec.ts';
import { openSnapshotFile } from './snapshot-file.ts';

const EVENTS_BYTES_MAX = 1 << 20;

const PAYER = 'account:a';
const credits = (id: string, count: number): LedgerCommand => ({ type: 'AddCredits', id, credits: count });
const reserve = (callId: string, withinMs = 60_000): LedgerCommand => ({
  type: 'ReserveCall',
  callId,
  tariff: 'follow',
  keyId: 'key',
  deadlineUnixMs: Date.now() + withinMs,
});
const post = (callId: string): LedgerCommand => ({ type: 'PostCall', callId });

const eventsIn = async ({ log }: OpenedLedger): Promise<number> => {
  const ranges = await log.ranges('ledger.events');
  const read = ranges.map((range) => log.read({ ...range, offset: 0, maxBytes: EVENTS_BYTES_MAX }));
  return (await Promise.all(read)).flat().length;
};

/**
 * An engine of the event log under test: opens the log and the codec of a place, as one more process would.
 */
export type LedgerEngine = (folder: string) => Promise<{ log: EventLog; codec: LedgerCodec }>;

/** What the ledger promises on any engine of the event log. */
export const testLedger = (openEngine: LedgerEngine): void => {
  const open = async (folder: string, options: Partial<LedgerOptions> = {}): Promise<OpenedLedger> => {
    const waiting = { answerWithinMs: PATIENCE.timeout, ...options };
    const opened = await openLedgerOn({ ...(await openEngine(folder)), folder }, waiting);
    onTestFinished(() => opened.close());
    return opened;
  };

  test('an answer is durable: the books are the same after the process was left as if it had been killed', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    await first.ledger.submit(PAYER, credits('pack', 10));
    expect(await first.ledger.submit(PAYER, reserve('a'))).toEqual({ status: 'reserved' });
    expect(await first.ledger.submit(PAYER, reserve('b'))).toEqual({ status: 'reserved' });
    expect(await first.ledger.submit(PAYER, post('a'))).toEqual({ status: 'posted' });
    const before = first.ledger.balance(PAYER);
    // Not stopped: nothing is written on the way out.
    await first.log.close();
    const second = await open(folder);
    expect(second.ledger.balance(PAYER)).toEqual(before);
    expect(before).toMatchObject({ packCredits: 6, openCalls: 1 });
  });

  test('a command that is repeated gets its first answer and leaves no event, also in another process', async () => {
    const folder = temporaryFolder();
    const [first, second] = [await open(folder), await open(folder)];
    await first.ledger.submit(PAYER, credits('pack', 2));
    const command = reserve('a');
    const answers = await Promise.all(
      [first, second, first, second].map(({ ledger }) => ledger.submit(PAYER, command)),
    );
    expect(answers).toEqual(Array(4).fill({ status: 'reserved' }));
    await second.ledger.submit(PAYER, credits('pack', 2));
    expect(await eventsIn(first)).toBe(2);
  });

  test('a refusal is known to every process, also after a restart, and leaves nothing in the books for ever', async () => {
    const folder = temporaryFolder();
    const [first, second] = [await open(folder), await open(folder)];
    const refused = { status: 'refused', reason: 'insufficient_credits' };
    const [here, there] = [reserve('here'), reserve('there')];
    expect(await first.ledger.submit(PAYER, here)).toEqual(refused);
    expect(await second.ledger.submit(PAYER, there)).toEqual(refused);
    await second.ledger.submit(PAYER, credits('pack', 10));
    await Promise.all([first.close(), second.close()]);
    const third = await open(folder);
    for (const command of [here, there]) expect(await third.ledger.submit(PAYER, command)).toEqual(refused);
    expect(await eventsIn(third)).toBe(1);
  });

  test('several processes share the three places of an account, and each sees what the others spent', async () => {
    const folder = temporaryFolder();
    const opened = [await open(folder), await open(folder), await open(folder)];
    await opened[2]?.ledger.submit(PAYER, credits('pack', 100));
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) => opened[i % 3]?.ledger.submit(PAYER, reserve(`c${i}`))),
    );
    expect(answers.filter((answer) => answer?.status === 'reserved')).toHaveLength(3);
    for (const { ledger } of opened)
      await expect
        .poll(() => ledger.balance(PAYER), PATIENCE)
        .toMatchObject({ packCredits: 94, openCalls: 3 });
  });

  test('when the one that decides stops, another takes over and answers what was asked meanwhile', async () => {
    const folder = temporaryFolder();
    const first = await open(folder);
    const second = await open(folder);
    await first.ledger.submit(PAYER, credits('pack', 1_000));
    const asked = Array.from({ length: 50 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i * 4));
      await second.ledger.submit(PAYER, reserve(`c${i}`));
      return second.ledger.submit(PAYER, { type: 'VoidCall', callId: `c${i}`, reason: 'failed' });
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await first.close();
    for (const answer of await Promise.all(asked)) expect(['voided', 'refused']).toContain(answer.status);
    expect(second.ledger.balance(PAYER)).toMatchObject({ packCredits: 1_000, openCalls: 0 });
  });

  test('a reservation of a process that is gone is void at its deadline without anybody asking', async () => {
    const folder = temporaryFolder();
    let passedMs = 0;
    const opened = await open(folder, { clock: { nowUnixMs: () => Date.now() + passedMs } });
    const { ledger } = opened;
    await ledger.submit(PAYER, credits('pack', 2));
    await ledger.submit(PAYER, reserve('dead', 300_000));
    expect(ledger.balance(PAYER)).toMatchObject({ packCredits: 0, openCalls: 1 });
    passedMs = 300_000;
    // In the log: a balance would say so without it.
    await expect.poll(() => eventsIn(opened), PATIENCE).toBe(3);
    expect(ledger.balance(PAYER)).toMatchObject({ packCredits: 2, openCalls: 0 });
    expect(await ledger.submit(PAYER, post('dead'))).toEqual({ status: 'voided', reason: 'deadline' });
  });

  test('a start reads on from the snapshot; a missing, broken or foreign one is as good as none', async () => {
    const folder = temporaryFolder();
    const path = `${folder}/ledger-snapshot`;
    const first = await open(folder);
    await first.ledger.submit(PAYER, credits('pack', 50));
    for (let call = 0; call < 20; call++) {
      await first.ledger.submit(PAYER, reserve(`c${call}`));
      await first.ledger.submit(PAYER, post(`c${call}`));
    }
    const balance = first.ledger.balance(PAYER);
    const usage = first.ledger.usage(PAYER);
    await first.close();
    const snapshot = readFileSync(path, 'utf8');

    const reopen = async () => {
      const again = await open(folder);
      expect(again.ledger.balance(PAYER)).toEqual(balance);
      expect(again.ledger.usage(PAYER)).toEqual(usage);
      await again.close();
    };
    await reopen();
    writeFileSync(path, snapshot.slice(0, -20));
    await reopen();
    writeFileSync(path, snapshot.replace('"packCredits":10', '"packCredits":99'));
    await reopen();
    rmSync(path);
    await reopen();

    const elsewhere = temporaryFolder();
    writeFileSync(`${elsewhere}/ledger-snapshot`, snapshot);
    const other = await open(elsewhere);
    expect(other.ledger.balance(PAYER).packCredits).toBe(0);
    // As long as this one, and still another log.
    await other.ledger.submit(PAYER, credits('pack', 60));
    for (let call = 0; call < 20; call++) {
      await other.ledger.submit(PAYER, reserve(`d${call}`));
      await other.ledger.submit(PAYER, post(`d${call}`));
    }
    const own = other.ledger.balance(PAYER);
    await other.close();
    writeFileSync(`${elsewhere}/ledger-snapshot`, snapshot);
    expect((await open(elsewhere)).ledger.balance(PAYER)).toEqual(own);
    expect(existsSync(path)).toBe(false);
  });

  test('a snapshot is drawn every so many events while calls go on, and a killed process loses no more of a start than that', async () => {
    const folder = temporaryFolder();
    const first = await open(folder, { snapshotEvents: 100 });
    await first.ledger.submit(PAYER, credits('pack', 1_000));
    await Promise.all(
      ([PAYER, 'wallet:solana:w'] as const).map(async (payer) => {
        for (let call = 0; call < 100; call++) {
          await first.ledger.submit(payer, reserve(`${payer} ${call}`));
          await first.ledger.submit(payer, post(`${payer} ${call}`));
        }
        await first.ledger.submit(payer, reserve(`${payer} open`));
      }),
    );
    const balance = first.ledger.balance(PAYER);
    // Not stopped: what lies there was drawn meanwhile.
    await first.log.close();
    const drawn = openSnapshotFile(`${folder}/ledger-snapshot`).read();
    const held = [...(drawn?.next.values() ?? [])].reduce((sum, next) => sum + next, 0);
    expect(held).toBeGreaterThan(200);
    expect(readdirSync(folder).filter((name) => name.startsWith('ledger-snapshot'))).toEqual([
      'ledger-snapshot',
    ]);
    const second = await open(folder);
    expect(second.ledger.balance(PAYER)).toEqual(balance);
    expect(balance).toMatchObject({ packCredits: 798, openCalls: 1 });
    const { codec } = await openEngine(folder);
    const audit = () => auditLedger({ log: second.log, codec, snapshot: drawn, tables: null });
    expect(await audit()).toMatchObject({ snapshot: true, open: 2, problems: [] });
    const state = drawn?.books.stateOf(PAYER);
    if (state) state.packCredits += 1;
    expect((await audit()).problems).toMatchObject([
      { payer: PAYER, problem: expect.stringMatching(/^the snapshot differs: credits \d+, not \d+$/) },
    ]);
  });

  test('where no snapshot can be drawn calls go on, and a start reads the log', async () => {
    const folder = temporaryFolder();
    const snapshot = openSnapshotFile(`${folder}/missing/ledger-snapshot`);
    const first = await open(folder, { snapshot, snapshotEvents: 1 });
    await first.ledger.submit(PAYER, credits('pack', 4));
    expect(await first.ledger.submit(PAYER, reserve('a'))).toEqual({ status: 'reserved' });
    expect(await first.ledger.submit(PAYER, post('a'))).toEqual({ status: 'posted' });
    await first.close();
    expect(first.errors.length).toBeGreaterThan(0);
    const second = await open(folder, { snapshot });
    expect(second.ledger.balance(PAYER)).toMatchObject({ packCredits: 2, openCalls: 0 });
  });

  test('while nobody can write, nothing is answered, and what was asked counts once when writing works again', async () => {
    const folder = temporaryFolder();
    const { ledger, log } = await open(folder, { answerWithinMs: 300 });
    // Asked until it is answered: on a busy machine that may take longer.
    await vi.waitFor(() => ledger.submit(PAYER, credits('pack', 10)), PATIENCE);
    await log.close();
    const asked = reserve('a', 300_000);
    await expect(ledger.submit(PAYER, asked)).rejects.toThrow(LedgerUnavailableError);
    await ledger.stop();
    const again = await open(folder);
    expect(again.ledger.balance(PAYER)).toMatchObject({ packCredits: 10, openCalls: 0 });
    for (let time = 0; time < 2; time++)
      expect(await again.ledger.submit(PAYER, asked)).toEqual({ status: 'reserved' });
    expect(again.ledger.balance(PAYER)).toMatchObject({ packCredits: 8, openCalls: 1 });
  });

  test('while the log takes too long to write, nobody waits longer than an answer may take, and what was asked counts once', async () => {
    const folder = temporaryFolder();
    const engine = await openEngine(folder);
    let gate = Promise.resolve();
    /** Writes to the log wait for the gate. */
    const slow = async <T>(write: () => Promise<T>): Promise<T> => {
      await gate;
      return write();
    };
    const consume: EventLog['consume'] = async (request) => {
      const consumer = await engine.log.consume(request);
      const transact = (group: Parameters<typeof consumer.transact>[0]) =>
        slow(() => consumer.transact(group));
      return { ...consumer, transact };
    };
    const append: EventLog['append'] = (records) => slow(() => engine.log.append(records));
    const log = { ...engine.log, consume, append, close: async () => {} };
    const openOne = () => openLedgerOn({ ...engine, log, folder }, { answerWithinMs: 500 });
    const [deciding, reading] = [await openOne(), await openOne()];
    await vi.waitFor(() => deciding.ledger.submit(PAYER, credits('pack', 10)), PATIENCE);
    const asked = [reserve('a', 300_000), reserve('b', 300_000)] as const;
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    await expect(deciding.ledger.submit(PAYER, asked[0])).rejects.toThrow(LedgerUnavailableError);
    await expect(reading.ledger.submit(PAYER, asked[1])).rejects.toThrow(LedgerUnavailableError);
    opening.resolve();
    for (const command of asked)
      await expect
        .poll(() => deciding.ledger.submit(PAYER, command).catch(() => null), PATIENCE)
        .toEqual({ status: 'reserved' });
    expect(deciding.ledger.balance(PAYER)).toMatchObject({ packCredits: 6, openCalls: 2 });
    await reading.close();
    await deciding.close();
    await engine.log.close();
  });

  test('credits that are no whole positive number never reach the books', async () => {
    const { ledger } = await open(temporaryFolder());
    for (const count of [0, -5, 1.5, Number.NaN, 1e12])
      await expect(ledger.submit(PAYER, credits('bad', count))).rejects.toThrow(RangeError);
    expect(ledger.balance(PAYER).packCredits).toBe(0);
  });
};
