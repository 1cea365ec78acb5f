import { expect, onTestFinished, test } from 'vitest';
import { LedgerUnavailableError } from '../credits/ledger.ts';
import { systemClock } from '../platform/clock.ts';
import type { LedgerPlace } from '../testing/ledger/open-ledger-engine.ts';
import { costs, madeUpResult } from '../testing/retrace/made-up-traces.ts';
import { openJobEngine } from '../testing/retrace/open-job-engine.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import type { Job } from './job-book.ts';
import { type AskedJob, openJobDesk } from './job-desk.ts';
import { workOnJobs } from './work-on-jobs.ts';

const PRICE = 2;
const walletsOf = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);
const pricedOf = (count: number): number => walletsOf(count).filter(costs).length;

const TOO_LATE = { refused: { code: 'timeout', field: '', message: 'too late' } };

type Provision = (folder: string) => LedgerPlace;

/** A worker over made-up traces, and a desk; its clock can be put on. */
const openJobs = async (provision: Provision, credits: number) => {
  let aheadMs = 0;
  const clock = { nowUnixMs: () => systemClock.nowUnixMs() + aheadMs };
  const { log, codec, ledger, jobLedger, close } = await openJobEngine(provision(temporaryFolder()), clock);
  const onError = (error: unknown): void => {
    if (!(error instanceof LedgerUnavailableError)) expect.unreachable(String(error));
  };
  const desk = await openJobDesk({ log, codec, clock, onError });
  await ledger.submit('account:a', { type: 'AddCredits', id: 'first', credits });
  let round = 0;
  let beforeTraced = async (): Promise<void> => {};
  let traced = 0;
  const late = new Set<string>();
  let most = Number.POSITIVE_INFINITY;
  const work = (charge = jobLedger.charge) => {
    const stopping = new AbortController();
    const trace = async (all: readonly object[]) => {
      const anchors = all.slice(0, most);
      traced += anchors.length;
      await beforeTraced();
      return anchors.map((anchor) => {
        const { wallet } = anchor as { wallet: string };
        return late.has(wallet) ? TOO_LATE : madeUpResult({ wallet }, round);
      });
    };
    const options = { log, codec, clock, ledger: { ...jobLedger, charge }, trace, onError };
    const worked = workOnJobs(options, stopping.signal);
    return async (): Promise<void> => {
      stopping.abort();
      await worked;
    };
  };
  let stop = async (): Promise<void> => {};
  onTestFinished(async () => {
    await stop();
    await desk.stop();
    await close();
  });
  return {
    ...{ desk, ledger, jobLedger },
    start: (charge?: typeof jobLedger.charge) => {
      stop = work(charge);
    },
    stop: () => stop(),
    pass: (ms: number) => {
      aheadMs += ms;
    },
    change: () => {
      round += 1;
    },
    traced: () => traced,
    late,
    written: async () => (await log.ranges('retrace.jobs'))[0]?.end,
    /** Of a wave it traces no more at once. */
    traceAtMost: (count: number) => {
      most = count;
    },
    beforeTraced: (hear: () => Promise<void>) => {
      beforeTraced = hear;
    },
    add: (more: number) => ledger.submit('account:a', { type: 'AddCredits', id: 'more', credits: more }),
    left: () => ledger.balance('account:a').packCredits,
    ask: (count: number, asked: Partial<AskedJob> = {}): Promise<Job> =>
      desk.ask({
        ...{ jobId: 'j', accountId: 'a', keyId: 'k', requestHash: 'h', everySeconds: 0 },
        ...{ anchors: walletsOf(count).map((wallet) => ({ wallet })), ...asked },
      }),
    shown: async (job: Job) => (await desk.results(job, { told: 0, item: 0 }, 10_000)).items,
  };
};

/** What jobs promise, on any engine of the event log. */
export const testJobs = (provision: Provision): void => {
  const open = (credits: number) => openJobs(provision, credits);

  test('a job that the account cannot pay shows what it paid for, waits, and goes on when credits come', async () => {
    const service = await open(30 * PRICE);
    service.start();
    const job = await service.ask(100);
    await expect.poll(() => job.pauseReason).toBe('insufficient_credits');
    expect([service.left(), job.charged]).toEqual([0, 30]);
    const paid = (await service.shown(job)).map(({ anchor }) => String(anchor.wallet));
    expect(paid.filter(costs)).toHaveLength(30);
    expect(paid).toEqual(walletsOf(paid.length));
    await service.add(PRICE * pricedOf(100));
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    expect([service.left(), job.charged]).toEqual([30 * PRICE, pricedOf(100)]);
    expect(await service.shown(job)).toHaveLength(100);
  });

  test('what is cancelled is neither traced on nor charged, and what was done stays', async () => {
    const service = await open(5_000);
    let job: Job | null = null;
    let waves = 0;
    service.beforeTraced(async () => {
      waves += 1;
      if (waves === 2 && job !== null) await service.desk.cancel(job);
    });
    job = await service.ask(900);
    service.start();
    await expect.poll(() => job?.isCancelled).toBe(true);
    const other = await service.ask(10, { jobId: 'other' });
    await expect.poll(() => other.runEndedUnixMs).not.toBeNull();
    expect(service.traced()).toBe(510);
    expect(job.charged).toBe(pricedOf(250));
    expect(await service.shown(job)).toHaveLength(250);
    expect(service.left()).toBe(5_000 - PRICE * (pricedOf(250) + pricedOf(10)));
    expect(await service.desk.again(job)).toBe(false);
  });

  test('run again it is charged again, and lists what changed and nothing else', async () => {
    const service = await open(1_000);
    service.start();
    const job = await service.ask(20);
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    expect(await service.desk.again(job)).toBe(true);
    await expect.poll(() => job.run === 2 && job.runEndedUnixMs !== null).toBe(true);
    expect(await service.shown(job)).toHaveLength(20);
    service.change();
    await service.desk.again(job);
    await expect.poll(() => job.run === 3 && job.runEndedUnixMs !== null).toBe(true);
    const changed = (await service.shown(job)).slice(20);
    expect(changed).toHaveLength(walletsOf(20).filter((wallet) => !wallet.endsWith('7')).length);
    expect(changed[0]).toMatchObject({
      ...{ run: 3, place: 0, anchor: { wallet: 'w0' } },
      change: { new: [{ address: 'w0 1' }], lost: [{ address: 'w0 0' }] },
    });
    expect(service.left()).toBe(1_000 - 3 * PRICE * pricedOf(20));
  });

  test('waves that are cut short lose and repeat nothing, in the first run and in a later one', async () => {
    const service = await open(1_000);
    service.traceAtMost(30);
    service.start();
    const job = await service.ask(100);
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    service.change();
    service.traceAtMost(7);
    await service.desk.again(job);
    await expect.poll(() => job.run === 2 && job.runEndedUnixMs !== null).toBe(true);
    service.traceAtMost(100);
    service.change();
    await service.desk.again(job);
    await expect.poll(() => job.run === 3 && job.runEndedUnixMs !== null).toBe(true);
    const shown = await service.shown(job);
    const changing = walletsOf(100).filter((wallet) => !wallet.endsWith('7'));
    expect(shown.map(({ anchor }) => anchor.wallet)).toEqual([...walletsOf(100), ...changing, ...changing]);
    for (const { run, anchor, change } of shown.slice(100))
      expect(change).toMatchObject({ lost: [{ address: `${anchor.wallet} ${run - 2}` }] });
    expect(service.left()).toBe(1_000 - 3 * PRICE * pricedOf(100));
  });

  test('an anchor that fails in one run is free there, and is compared with the run before in the next', async () => {
    const service = await open(1_000);
    service.start();
    const job = await service.ask(3);
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    service.late.add('w0');
    await service.desk.again(job);
    await expect.poll(() => job.run === 2 && job.runEndedUnixMs !== null).toBe(true);
    expect([job.refused, job.charged]).toEqual([1, 5]);
    expect(await service.shown(job)).toHaveLength(3);
    service.late.clear();
    service.change();
    await service.desk.again(job);
    await expect.poll(() => job.run === 3 && job.runEndedUnixMs !== null).toBe(true);
    expect((await service.shown(job))[3]).toMatchObject({
      ...{ run: 3, place: 0 },
      change: { new: [{ address: 'w0 1' }], lost: [{ address: 'w0 0' }], answer: null },
    });
  });

  test('free anchors behind the last credit are traced in few waves', async () => {
    const service = await open(PRICE);
    service.start();
    const job = await service.ask(64, { anchors: Array.from({ length: 64 }, () => ({ wallet: 'w3' })) });
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    expect(job.waves).toHaveLength(2);
  });

  test('a job that repeats itself runs when its time has come, until it is cancelled', async () => {
    const service = await open(1_000);
    service.start();
    const job = await service.ask(5, { everySeconds: 60 });
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    service.pass(59_000);
    expect(job.run).toBe(1);
    service.pass(2_000);
    await expect.poll(() => job.run === 2 && job.runEndedUnixMs !== null).toBe(true);
    await service.desk.cancel(job);
    service.pass(120_000);
    const other = await service.ask(1, { jobId: 'other' });
    await expect.poll(() => other.runEndedUnixMs).not.toBeNull();
    expect(job.run).toBe(2);
  });

  test('a run that cost nothing is repeated after an hour at the earliest', async () => {
    const service = await open(1_000);
    service.start();
    const job = await service.ask(1, { everySeconds: 60, anchors: [{ wallet: 'w3' }] });
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    service.pass(61_000);
    const other = await service.ask(1, { jobId: 'other' });
    await expect.poll(() => other.runEndedUnixMs).not.toBeNull();
    expect(job.run).toBe(1);
    service.pass(3_600_000);
    await expect.poll(() => job.run).toBe(2);
  });

  test('charges that the ledger decides after a failure and a cancellation are counted and shown', async () => {
    const service = await open(1_000);
    const late: Parameters<typeof service.jobLedger.charge>[0][] = [];
    service.start((call) => {
      late.push(call);
      return Promise.reject(new LedgerUnavailableError());
    });
    const job = await service.ask(10);
    await expect.poll(() => late.length).toBeGreaterThan(0);
    await service.desk.cancel(job);
    service.pass(2_000);
    // The cancelled job has its turn between these two.
    for (const jobId of ['one', 'two']) {
      const other = await service.ask(1, { jobId, accountId: 'b', anchors: [{ wallet: 'w3' }] });
      await service.ledger.submit('account:b', { type: 'AddCredits', id: jobId, credits: PRICE });
      await expect.poll(() => other.runEndedUnixMs).not.toBeNull();
    }
    for (const call of late.slice(0, 5)) await service.jobLedger.charge(call);
    service.pass(300_000);
    await expect.poll(() => job.uncharged).toBeNull();
    expect([job.charged, service.left()]).toEqual([5, 1_000 - 5 * PRICE]);
    expect((await service.shown(job)).map(({ anchor }) => String(anchor.wallet)).filter(costs)).toHaveLength(
      5,
    );
  });

  test('what is cancelled again, or run again before its end, is written nowhere', async () => {
    const service = await open(1_000);
    const job = await service.ask(3);
    expect(await service.desk.again(job)).toBe(false);
    expect(await service.desk.cancel(job)).toBe(true);
    const written = await service.written();
    expect(await service.desk.cancel(job)).toBe(false);
    expect(await service.desk.again(job)).toBe(false);
    expect(await service.written()).toBe(written);
  });

  test('a job is not there any more when its time is over, though nothing else happened', async () => {
    const service = await open(1_000);
    await service.ask(3);
    service.pass(29 * 86_400_000 - 60_000);
    expect(service.desk.find('j')).not.toBeNull();
    service.pass(60_001);
    expect(service.desk.find('j')).toBeNull();
  });

  test('a page of another job is never shown', async () => {
    const service = await open(1_000);
    service.start();
    const job = await service.ask(3);
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    await expect(service.shown({ ...job, id: 'other' })).rejects.toMatchObject({ code: 'not_kept' });
  });

  test('calls that the ledger has forgotten since the worker died are known from its events, and not made again', async () => {
    const service = await open(1_000);
    let calls = 0;
    const job = await service.ask(40);
    service.start(async (call) => {
      calls += 1;
      if (calls > 20) throw new LedgerUnavailableError();
      return service.jobLedger.charge(call);
    });
    await expect.poll(() => calls).toBeGreaterThan(20);
    await service.stop();
    expect(service.left()).toBe(1_000 - 20 * PRICE);
    // What it charged is in no event of the job.
    expect(job.uncharged?.priced).toHaveLength(pricedOf(40));
    service.pass(3_600_000);
    service.start();
    await expect.poll(() => job.runEndedUnixMs).not.toBeNull();
    expect(job.charged).toBe(pricedOf(40));
    expect(service.left()).toBe(1_000 - PRICE * pricedOf(40));
  });
};
