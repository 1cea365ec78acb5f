import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { TruthLine } from '../../demo-world/truth.ts';
import { worldBlocks } from '../../demo-world/world-blocks.ts';
import { NATIVE } from '../../investigate/model/movement.ts';
import { createSpoor, type RetraceResults, type Spoor, type TraceBody } from '../../sdk/create-spoor.ts';
import { SpoorError } from '../../sdk/spoor-error.ts';
import { askAnalyst } from '../../testing/ask-analyst.ts';
import { PROGRAMS, runProgram } from '../../testing/run-program.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import type { WorldOne } from '../../testing/world-one.ts';

const ANCHORS = 16;
const CREDITS = 100_000;
const TIMEOUT = { timeout: 480_000, interval: 300 };

/** Transfers into and out of services that everybody knows in world 1, and one of nobody. */
const chooseAnchors = (): TraceBody[] => {
  const lines: TruthLine[] = [];
  const blocks = [...worldBlocks({ seed: 1 }, (line) => lines.push(line))];
  const services = new Set(
    lines.flatMap((line) =>
      line.type === 'label' && line.known && ['mixer', 'exchange'].includes(line.kind) ? [line.address] : [],
    ),
  );
  const anchors = blocks.flatMap(({ chain, movements, transactions }) =>
    movements.flatMap(({ txIndex, from, to, asset }): TraceBody[] => {
      if (asset !== NATIVE || from === null || to === null || services.has(from) === services.has(to))
        return [];
      const signature = transactions.find((each) => each.txIndex === txIndex)?.hash ?? '';
      const [wallet, counterparty, direction] = services.has(to)
        ? [from, to, 'out' as const]
        : [to, from, 'in' as const];
      return [{ chain: chain as 'solana', wallet, counterparty, signature, direction, window: 43_200 }];
    }),
  );
  const step = Math.floor(anchors.length / ANCHORS);
  const chosen = anchors.filter((_, at) => at % step === 0).slice(0, ANCHORS);
  const [first] = chosen as [TraceBody];
  return [...chosen, { ...first, counterparty: first.chain === 'solana' ? NOBODY.solana : NOBODY.ethereum }];
};
const NOBODY = { solana: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', ethereum: `0x${'9'.repeat(40)}` };

const outcomeOf = async (spoor: Spoor, body: TraceBody): Promise<unknown> => {
  try {
    const answer = await spoor.trace(body);
    return { ...answer, window: { ...answer.window, searched: [] } };
  } catch (error) {
    if (error instanceof SpoorError) return error.code;
    throw error;
  }
};
/** As the file of the command has it. */
const withoutSearched = (outcome: unknown): unknown => {
  if (typeof outcome !== 'object' || outcome === null) return outcome;
  const { window, ...answer } = outcome as { window: { searched: unknown } };
  const { searched: _, ...rest } = window;
  return { ...answer, window: rest };
};
const allResults = async (spoor: Spoor, id: string): Promise<RetraceResults['results']> => {
  const found: RetraceResults['results'][number][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await spoor.retraceResults(id, { limit: 7, ...(cursor !== undefined && { cursor }) });
    found.push(...page.results);
    if (!page.has_more) return found;
    cursor = page.next_cursor;
  }
};
/** As analysts are shown it. */
const rowsOfResult = ({ run, place, answer, refused }: RetraceResults['results'][number]): unknown[][] => {
  const candidates = answer?.candidates ?? [];
  if (candidates.length === 0) return [[run, place, null, refused?.code ?? null, null, null]];
  return candidates.map(({ address, confidence }, at) => [
    ...[run, place, at + 1, null],
    ...[address.startsWith('0x') ? address.toLowerCase() : address, confidence],
  ]);
};
const readRows = (world: WorldOne, jobId: string): Promise<unknown[][]> =>
  askAnalyst(
    world,
    `SELECT run, place, rank, refused, candidate, confidence FROM retrace_results
     WHERE job_id = '${jobId}' ORDER BY run, place, rank`,
  );
const untilDone = (spoor: Spoor, id: string): Promise<void> =>
  expect.poll(async () => (await spoor.retrace(id)).state, TIMEOUT).toBe('done');

/** Over world 1, once all is there that is derived from it. Calls need a key afterwards. */
export const testRetraceJob = (world: () => WorldOne): void => {
  test('a job answers each anchor as a call of /trace does, costs the same, and says what a label changed', async () => {
    const { folder, url } = world();
    const data = temporaryFolder();
    const run = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, args, { SPOOR_DATA: folder });
      expect(code, stderr).toBe(0);
      return stdout.trim();
    };
    const openAccount = async (): Promise<string> => {
      const { account_id: id } = JSON.parse(await run('accounts', 'open', 'Example', '--json'));
      await run('accounts', 'credits', id, String(CREDITS));
      return run('keys', 'issue', id, '--name', 'jobs');
    };
    const [key, otherKey] = [await openAccount(), await openAccount()];
    const spoor = createSpoor({ url, key });
    const anchors = chooseAnchors();
    const creditsLeft = async (): Promise<number> => (await spoor.account()).pack_credits ?? 0;
    const askEach = async (): Promise<unknown[]> => {
      const outcomes: unknown[] = [];
      for (const anchor of anchors) outcomes.push(await outcomeOf(spoor, anchor));
      return outcomes;
    };

    const before = await askEach();
    const started = await creditsLeft();
    const { job_id: jobId, ...job } = await spoor.startRetrace({ anchors });
    expect(job).toMatchObject({ anchors: anchors.length, price: { credits: 2 * anchors.length } });
    await untilDone(spoor, jobId);
    await expect.poll(async () => (await spoor.account()).concurrency.in_flight).toBe(0);
    const between = await creditsLeft();
    expect(await askEach()).toEqual(before);
    const [together, singly] = [started - between, between - (await creditsLeft())];
    const results = await allResults(spoor, jobId);
    expect(results.map(({ place }) => place)).toEqual(anchors.map((_, place) => place));
    expect(results.map(({ answer, refused }) => answer ?? refused?.code)).toEqual(before);
    expect(results.at(-1)?.refused).toMatchObject({ field: 'counterparty' });
    expect(together).toBe(singly);
    expect(together).toBeGreaterThan(0);

    const columns = ['chain', 'wallet', 'counterparty', 'signature', 'direction', 'window'] as const;
    const rows = anchors.slice(0, 3).map((anchor) => columns.map((name) => anchor[name]).join(','));
    writeFileSync(`${data}/anchors.csv`, `${[columns.join(','), ...rows].join('\n')}\n`);
    const out = `${data}/there.jsonl`;
    await run('retrace', '--url', url, '--key', key, '--input', `${data}/anchors.csv`, '--out', out);
    const there = readFileSync(out, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(there.map((line) => line.answer ?? line.refused.code)).toEqual(
      before.slice(0, 3).map((outcome) => withoutSearched(outcome)),
    );

    const candidates = results.flatMap(({ answer }) => answer?.candidates ?? []);
    const lost = candidates.find(({ label }) => label === null)?.address ?? '';
    const { chain } = results.find(({ answer }) => answer?.candidates.some(({ address }) => address === lost))
      ?.answer?.meta ?? { chain: '' };
    writeFileSync(
      `${data}/till.csv`,
      `address,chain,name,kind,source\n${lost},${chain},Till 1,exchange,test\n`,
    );
    await run('labels', 'import', 'csv', `${data}/till.csv`);
    await expect
      .poll(async () => {
        await spoor.repeatRetrace(jobId);
        await untilDone(spoor, jobId);
        return (await allResults(spoor, jobId)).length;
      }, TIMEOUT)
      .toBeGreaterThan(results.length);
    const changed = (await allResults(spoor, jobId)).slice(results.length);
    const label = { kind: 'label', address: lost, before: null, after: { kind: 'exchange', name: 'Till 1' } };
    const told = changed
      .flatMap(({ change }) => change?.lost ?? [])
      .filter(({ address }) => address === lost);
    expect(told.length).toBeGreaterThan(0);
    for (const { causes } of told) expect(causes).toEqual([label]);

    const headers = { authorization: `Bearer ${key}` };
    const csv = await (await fetch(`${url}/retrace/${jobId}/results.csv`, { headers })).text();
    expect(csv.split('\r\n')[0]).toMatch(/^run,change,at,wallet,/);
    expect(csv).toContain(lost);
    const shown = (await allResults(spoor, jobId)).flatMap(rowsOfResult);
    await expect.poll(() => readRows(world(), jobId), TIMEOUT).toEqual(shown);
    const other = { authorization: `Bearer ${otherKey}` };
    for (const path of ['', '/results', '/results.csv'])
      expect((await fetch(`${url}/retrace/${jobId}${path}`, { headers: other })).status).toBe(404);

    const bodyOf = (body: object) => ({
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'one' },
    });
    const watched = await fetch(
      `${url}/retrace`,
      bodyOf({ anchors: anchors.slice(0, 2), every_seconds: 60 }),
    );
    expect(watched.status).toBe(202);
    const { job_id: watchedId } = (await watched.json()) as { job_id: string };
    const sentAgain = await fetch(
      `${url}/retrace`,
      bodyOf({ anchors: anchors.slice(0, 2), every_seconds: 60 }),
    );
    expect(await sentAgain.json()).toMatchObject({ job_id: watchedId });
    expect((await fetch(`${url}/retrace`, bodyOf({ anchors: anchors.slice(0, 3) }))).status).toBe(409);
    await expect.poll(async () => (await spoor.retrace(watchedId)).state, TIMEOUT).toBe('waiting');
    expect(await spoor.cancelRetrace(watchedId)).toMatchObject({ state: 'cancelled', run: 1 });
    await expect(spoor.repeatRetrace(watchedId)).rejects.toMatchObject({ code: 'job_not_ended' });

    const wrong = await fetch(`${url}/retrace`, bodyOf({ anchors: [anchors[0], { ...anchors[1], tim: 1 }] }));
    expect(await wrong.json()).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'anchors.1.tim' }],
    });
    const keyless = await fetch(`${url}/retrace`, { method: 'POST', body: '{}' });
    expect(keyless.status).toBe(401);
  }, 480_000);
};
