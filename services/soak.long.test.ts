import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PLANS } from './credits/decider/plans.ts';
import { createRandom, type Random } from './demo-world/random.ts';
import { worldBlocks } from './demo-world/world-blocks.ts';
import { toWholeUnits } from './investigate/model/amount.ts';
import { isStablecoin } from './investigate/model/asset.ts';
import { type Chain, findChain } from './investigate/model/chain.ts';
import { NATIVE } from './investigate/model/movement.ts';
import { readEndpoint } from './platform/warehouse-engine/embedded/endpoint.ts';
import { expectEnded } from './testing/processes.ts';
import { PROGRAMS, type Program, runProgram } from './testing/run-program.ts';
import { type GatedChains, startGatedChains, WORLD } from './testing/service/gated-chains.ts';
import { statusOf, untilIndexed, urlOf } from './testing/service/running-service.ts';
import { startWorld, stopWorld, sumsOf, warehouseOf } from './testing/service/served-world.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

/** 900 makes it a quarter of an hour. */
const SECONDS = Number(process.env.SPOOR_SOAK_SECONDS ?? 60);
const STORE = 'chain';
const CALLERS = 4;
const PATIENCE = { timeout: 120_000, interval: 200 };
const DESCRIPTORS_MORE_MAX = 40;
const RESIDENT_MB_MAX = 1_500;
/** More than all calls of a quarter of an hour cost. */
const CREDITS = 1_000_000;
/** Of the plan with which an account is opened. */
const ALLOWED = PLANS.free.analyses.monthly + PLANS.free.traces.monthly;

type Place = {
  readonly chain: string;
  readonly address: string;
  readonly payer: string;
  readonly asset: string;
  readonly hash: string;
  readonly amountRaw: bigint;
  readonly time: number;
};

/** Who was paid what in the world that the nodes serve, in the order of time, and its mixers. */
const readSoaked = () => {
  const mixers = new Map<string, string>();
  const places = [
    ...worldBlocks(WORLD, (line) => {
      if (line.type === 'label' && line.kind === 'mixer') mixers.set(line.address, line.chain);
    }),
  ].flatMap(({ chain, movements, transactions, timeUnixSeconds }) => {
    const hashes = new Map(transactions.map(({ txIndex, hash }) => [txIndex, hash]));
    return movements.flatMap(({ from, to, asset, txIndex, amountRaw }): Place[] => {
      if (from === null || to === null || from === to) return [];
      const hash = hashes.get(txIndex ?? -1) ?? '';
      return [{ chain, address: to, payer: from, asset, hash, amountRaw, time: timeUnixSeconds ?? 0 }];
    });
  });
  return { mixers, places };
};
const { mixers: MIXERS, places: PLACES } = readSoaked();
// What is read in at the start, so that most questions have an answer.
const EARLY = PLACES.slice(0, Math.floor(PLACES.length / 3));
const isPaidIn = ({ address, asset }: Place): boolean => MIXERS.has(address) && asset === NATIVE;

type Asking = { readonly path: string; readonly body?: unknown; readonly text?: string };

const follow = ({ chain, address }: Place): Asking => ({ path: '/follow', body: { chain, address } });
const analyze = ({ chain, payer }: Place): Asking => ({ path: '/analyze', body: { chain, address: payer } });

const chainOf = ({ chain }: Place): Chain => findChain(chain) as Chain;
const isLaunched = (at: Place): boolean => at.asset !== NATIVE && !isStablecoin(chainOf(at), at.asset);

const traceIn = (at: Place): Asking => {
  const { chain, address, payer, hash, amountRaw, time } = at;
  const sol = toWholeUnits(amountRaw, chainOf(at).native.decimals);
  const paid = { wallet: payer, counterparty: address, signature: hash, direction: 'out' };
  return { path: '/trace', body: { chain, ...paid, time, sol, usd: 0 } };
};

/** Mostly such as are answered and charged: an account has only so many calls that bring nothing. */
const GOOD: readonly ((at: Place, paidIn: Place) => Asking)[] = [
  ...[follow, follow, follow, analyze, analyze, analyze],
  ({ chain, payer }) => ({ path: '/follow', body: { chain, address: payer, graph: true, asset: 'native' } }),
  (_, paidIn) => traceIn(paidIn),
  ({ chain, address }) => ({ path: '/victims', body: { chain, address } }),
  (at) => (isLaunched(at) ? { path: '/insiders', body: { chain: at.chain, token: at.asset } } : follow(at)),
];

const BAD: typeof GOOD = [
  () => ({ path: '/follow', text: '{"address":' }),
  ({ address }) => ({ path: '/follow', text: `{"address":"${address}","address":"${address}"}` }),
  ({ address }) => ({ path: '/follow', body: { address: address.slice(1), chain: 'ethereum' } }),
  ({ chain, address }) => ({ path: '/follow', body: { chain, address, max_hops: -1, amount: 1e300 } }),
  ({ chain, address }) => ({ path: '/victims', body: { chain, address, limit: Number.MAX_SAFE_INTEGER } }),
  () => ({ path: '/trace', text: '['.repeat(50_000) }),
  () => ({ path: '/analyze', text: `"${'x'.repeat(2_000_000)}"` }),
  () => ({ path: '/%ff/..', body: {} }),
];

type Told = {
  asked: number;
  cut: number;
  /** Answers by what was asked and their status. */
  readonly good: Map<number, number>;
  readonly bad: Map<number, number>;
  /** What the caller's account had left at its last answer: allowances of its plan, and credits. */
  left: number;
  readonly wrong: string[];
};

const newTold = (): Told => ({
  ...{ asked: 0, cut: 0, good: new Map(), bad: new Map(), left: CREDITS + ALLOWED, wrong: [] },
});
const sumOf = (all: readonly Told[], of: (told: Told) => number): number =>
  all.reduce((sum, told) => sum + of(told), 0);
const countOf = (statuses: Map<number, number>): number =>
  [...statuses.values()].reduce((sum, count) => sum + count, 0);

const leftIn = (header: string): number => {
  const { analyses_left, traces_left, pack_credits } = JSON.parse(header) as Record<string, number>;
  return (analyses_left ?? 0) + (traces_left ?? 0) + (pack_credits ?? 0);
};

/** Where the service answers now, and how much of the world it has for sure. */
type Asked = { url: string; isWhole: boolean };

/** Asks until it is over. A connection may be cut, by a kill; what is answered is never a failure of ours. */
const askOn = async (to: Asked, key: string, random: Random, told: Told, isOver: () => boolean) => {
  while (!isOver()) {
    const places = to.isWhole ? PLACES : EARLY;
    const isBad = random.chance(0.25);
    const ask = random.pick(isBad ? BAD : GOOD);
    const {
      path,
      body,
      text = JSON.stringify(body),
    } = ask(random.pick(places), random.pick(places.filter(isPaidIn)));
    told.asked += 1;
    try {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
      const response = await fetch(to.url + path, { method: 'POST', headers, body: text });
      const answer = await response.text();
      const statuses = isBad ? told.bad : told.good;
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const credits = response.headers.get('x-service-credits');
      if (credits !== null) told.left = leftIn(credits);
      // Too many at once are no fault, and a good question is never told to be a wrong one.
      const isRefused = response.status >= 400 && response.status < 500 && response.status !== 429;
      if ([500, 502].includes(response.status) || (isRefused && !isBad))
        told.wrong.push(`${path} ${text.slice(0, 200)}: ${answer.slice(0, 300)}`);
    } catch {
      told.cut += 1;
      await sleep(100);
    }
  }
};

const tell = (figure: object): void => void process.stdout.write(`${JSON.stringify(figure)}\n`);

/** What a process holds. */
const holdingsOf = ({ pid }: Program) => {
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return {
    residentMb: Math.round(Number(kilobytes) / 1_024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
};

const run = (folder: string, ...args: string[]) => runWith({ SPOOR_DATA: folder }, ...args);

const runWith = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
  const { code, stdout, stderr } = await runProgram(PROGRAMS.cli, [...args, '--json'], env);
  expect(code, `${args.join(' ')}: ${stderr}${stdout}`).toBe(0);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Record<string, unknown>;
};

const importMixers = async (folder: string, env: GatedChains['env']): Promise<void> => {
  const list = join(folder, 'mixers.csv');
  const rows = [...MIXERS].map(([address, chain]) => `${address},${chain},Mixer,mixer`);
  writeFileSync(list, ['address,chain,name,kind', ...rows].join('\n'));
  const imported = await runWith({ SPOOR_DATA: folder, ...env }, 'labels', 'import', 'csv', list);
  expect(imported).toMatchObject({ new: MIXERS.size, refused: 0 });
};

test(
  `for ${SECONDS} s of mixed questions, bad input, blocks read in beside, and kills with −9, no answer fails and nothing is lost`,
  async () => {
    const open = await startGatedChains({ isOpen: true });
    const undisturbed = temporaryFolder();
    const whole = startWorld(undisturbed, open.env);
    await untilIndexed(await urlOf(whole));
    await stopWorld(whole);

    const chains = await startGatedChains();
    const folder = temporaryFolder();
    await importMixers(folder, chains.env);
    let server = startWorld(folder, chains.env);
    const to: Asked = { url: await urlOf(server), isWhole: false };
    // An account of its own for each caller: calls that bring nothing are counted by account.
    const keys: string[] = [];
    for (let at = 0; at < CALLERS; at++) {
      await run(folder, 'accounts', 'open', `soak-${at}`);
      await run(folder, 'accounts', 'credits', `soak-${at}`, String(CREDITS));
      keys.push(String((await run(folder, 'keys', 'issue', `soak-${at}`)).key));
    }
    let isOver = false;
    const random = createRandom(11);
    const told = keys.map(newTold);
    const callers = keys.map((key, at) =>
      askOn(to, key, random.fork(`caller ${at}`), told[at] ?? newTold(), () => isOver),
    );
    const quarterMs = SECONDS * 250;
    try {
      await sleep(quarterMs);
      process.kill(readEndpoint(warehouseOf(folder, STORE))?.pid ?? -1, 'SIGKILL');
      await sleep(quarterMs);
      chains.open();
      await sleep(quarterMs / 4);
      const children = server.descendants();
      server.process.kill('SIGKILL');
      await server.ended;
      await expectEnded(children);
      server = startWorld(folder, chains.env);
      to.url = await urlOf(server);
      await sleep(quarterMs / 4);
      const before = holdingsOf(server);
      await sleep(quarterMs);
      await untilIndexed(to.url);
      to.isWhole = true;
      await sleep(quarterMs / 2);
      isOver = true;
      await Promise.all(callers);
      await expect.poll(async () => (await statusOf(to.url)).status, PATIENCE).toBe('ok');
      const after = holdingsOf(server);
      for (const [name, unit] of [
        ['residentMb', 'MB'],
        ['descriptors', 'descriptors'],
      ] as const)
        tell({ name: `soak.${name}`, unit, value: after[name], before: before[name] });
      for (const [at, { asked, cut, good, bad, left }] of told.entries())
        tell({
          ...{ name: 'soak.calls', unit: 'calls', subject: `caller ${at}`, value: asked, cut },
          ...{ good: Object.fromEntries(good), bad: Object.fromEntries(bad) },
          charged: CREDITS + ALLOWED - left,
        });
      expect(told.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(told.flatMap(({ bad }) => [...bad.keys()].filter((status) => status < 400))).toEqual([]);
      const [good, ready, charged] = [
        sumOf(told, ({ good }) => good.get(200) ?? 0),
        // Until it has started, and again after the kill, it says that it is not ready.
        sumOf(told, ({ good }) => countOf(good) - (good.get(503) ?? 0)),
        sumOf(told, ({ left }) => CREDITS + ALLOWED - left),
      ];
      expect(good).toBeGreaterThan(ready / 2);
      expect(charged).toBeGreaterThan(good / 2);
      expect(after.descriptors - before.descriptors).toBeLessThan(DESCRIPTORS_MORE_MAX);
      expect(after.residentMb).toBeLessThan(RESIDENT_MB_MAX);
    } finally {
      isOver = true;
    }
    const audit = await run(folder, 'ledger', 'audit');
    tell(audit);
    expect(audit).toMatchObject({ problems: 0 });
    await stopWorld(server);
    await run(folder, 'doctor');
    // Histories are read for whom somebody asks about.
    const { listed_windows: _, ...sums } = await sumsOf(warehouseOf(folder, STORE));
    expect(await sumsOf(warehouseOf(undisturbed, STORE))).toMatchObject(sums);
  },
  SECONDS * 1_000 + 420_000,
);
