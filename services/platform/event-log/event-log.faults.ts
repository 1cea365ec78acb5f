import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { expectInOrder } from './contract/engine.ts';
import type { EventLog, StoredRecord } from './event-log.ts';
import { type Child, startChild } from './faults/child.ts';
import { FAULT_TOPICS, type OpenForFaults, parseValue } from './faults/fault-log.ts';

const PATIENCE = { timeout: 60_000, interval: 200 };

/** What an engine brings to be tested with processes that are killed. */
export type FaultyEngine = {
  /** Absolute path of a module that exports `openForFaults`; children import it. */
  readonly module: string;
  readonly openForFaults: OpenForFaults;
  /** Where a fresh log is, in the engine's own words. */
  provision(): Promise<{ place: string; remove(): Promise<void> }>;
  /** How long a silent member keeps its group, with the settings of `openForFaults`. */
  readonly leaseMs: number;
  /** As `EventLogEngine` has it. */
  readonly hasMarks?: boolean | undefined;
};

const readAll = async (log: EventLog, topic: string, partition: number): Promise<StoredRecord[]> => {
  const records: StoredRecord[] = [];
  for (;;) {
    const offset = (records.at(-1)?.offset ?? -1) + 1;
    const more = await log.read({ topic, partition, offset, maxBytes: 8_000_000 });
    if (more.length === 0) return records;
    records.push(...more);
  }
};

/** Everything in the log, after checking what must hold whatever was killed: no gap, no torn value. */
const readWhole = async (
  log: EventLog,
  engine: FaultyEngine,
): Promise<{ plain: string[]; spread: string[] }> => {
  const texts = { plain: [] as string[], spread: [] as string[] };
  for (const { name, partitions } of FAULT_TOPICS) {
    for (let partition = 0; partition < partitions; partition++) {
      const records = await readAll(log, name, partition);
      expectInOrder(
        records.map((r) => r.offset),
        engine,
      );
      for (const { value, headers } of records) {
        const { writer, number, isWhole } = parseValue(value);
        expect(isWhole).toBe(true);
        if (name === 'plain') texts.plain.push(`${writer}:${number}`);
        else texts.spread.push(`${writer}:${number}/${headers.half}`);
      }
    }
  }
  return texts;
};

const expectWholeGroups = ({ plain, spread }: { plain: string[]; spread: string[] }): void => {
  expect(new Set(plain).size).toBe(plain.length);
  const halves = plain.flatMap((text) => [`${text}/first`, `${text}/second`]);
  expect(spread.toSorted()).toEqual(halves.toSorted());
};

const numbersOf = (plain: readonly string[], writer: string): number[] =>
  plain.filter((text) => text.startsWith(`${writer}:`)).map((text) => Number(text.split(':')[1]));

const missingFrom = (stored: readonly number[], expected: readonly number[]): number[] => {
  const known = new Set(stored);
  return expected.filter((number) => !known.has(number));
};

type Acknowledged = { readonly writer: string; readonly numbers: readonly number[] };

/**
 * Everything in the log once it shows what was acknowledged. An engine may keep readers waiting at what a killed writer left
 * half done, until it ends that by itself.
 */
const readAcknowledged = async (log: EventLog, engine: FaultyEngine, { writer, numbers }: Acknowledged) => {
  const read = async () => {
    const texts = await readWhole(log, engine);
    return { texts, missing: missingFrom(numbersOf(texts.plain, writer), numbers) };
  };
  await expect.poll(async () => (await read()).missing, PATIENCE).toEqual([]);
  return (await read()).texts;
};

/** Numbers the child printed as acknowledged. */
const acknowledged = (child: Child): number[] => child.lines().slice(1).map(Number);

const createFaultHarness = (engine: FaultyEngine) => {
  const children: Child[] = [];
  let provisioned: ReturnType<FaultyEngine['provision']> | null = null;
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await (await provisioned)?.remove();
    provisioned = null;
  });
  const place = async (): Promise<string> => {
    provisioned ??= engine.provision();
    return (await provisioned).place;
  };
  return {
    open: async () => engine.openForFaults(await place(), FAULT_TOPICS),
    start: async (script: string, ...args: string[]): Promise<Child> => {
      const child = startChild(script, [engine.module, await place(), ...args]);
      children.push(child);
      return child;
    },
  };
};

/** What the port promises when members are killed or put to sleep. */
export const describeMembers = (name: string, engine: FaultyEngine): void => {
  describe(`${name}: members that end or sleep`, () => testMembers(engine));
};

/** So often a writer is killed and another goes on. */
export const describeKilledWriters = (
  name: string,
  engine: FaultyEngine,
  { rounds }: { rounds: number },
): void => {
  describe(`${name}: killed with −9`, () => testKilledWriters(engine, rounds));
};

const testKilledWriters = (engine: FaultyEngine, rounds: number): void => {
  const { open, start } = createFaultHarness(engine);

  test('every acknowledged append is there once, in order and whole, however often the writer is killed', async () => {
    const all: number[] = [];
    let first = 0;
    for (let round = 0; round < rounds; round++) {
      const child = await start('append-until-killed.fault.ts', 'w', `${first}`);
      await child.waitForLines(1 + Math.ceil(Math.random() * 400));
      await sleep(Math.random() * 30);
      await child.kill();
      all.push(...acknowledged(child));
      const log = await open();
      const texts = await readAcknowledged(log, engine, { writer: 'w', numbers: all });
      await log.close();
      expectWholeGroups(texts);
      const stored = numbersOf(texts.plain, 'w');
      expect(stored).toEqual(stored.toSorted((a, b) => a - b));
      first = (stored.at(-1) ?? -1) + 1;
    }
    expect(all.length).toBeGreaterThan(rounds);
  });

  test('a writer that is killed does not hold up or harm another one', async () => {
    const survivor = await start('append-until-killed.fault.ts', 's', '0');
    await survivor.waitForLines(50);
    const killed: Acknowledged[] = [];
    for (let round = 0; round < 3; round++) {
      const victim = await start('append-until-killed.fault.ts', `v${round}`, '0');
      await victim.waitForLines(100);
      await victim.kill();
      const before = survivor.lines().length;
      await survivor.waitForLines(before + 100);
      killed.push({ writer: `v${round}`, numbers: acknowledged(victim) });
    }
    await survivor.kill();
    const log = await open();
    for (const each of killed) await readAcknowledged(log, engine, each);
    const texts = await readAcknowledged(log, engine, { writer: 's', numbers: acknowledged(survivor) });
    await log.close();
    expectWholeGroups(texts);
    const stored = numbersOf(texts.plain, 's');
    expect(stored).toEqual(stored.toSorted((a, b) => a - b));
  });
};

const testMembers = (engine: FaultyEngine): void => {
  const { open, start } = createFaultHarness(engine);

  test('processes that open a new log at the same moment all get it, and agree on what is in it', async () => {
    const groups = ['a', 'b', 'c', 'd'];
    const children = await Promise.all(groups.map((group) => start('hold-group.fault.ts', group)));
    for (const child of children) {
      await child.waitForLine('holding');
      child.process.stdin?.write('5\n');
      await child.waitForLine('committed');
    }
    const log = await open();
    for (const group of groups) expect((await log.commits(group)).map((c) => c.offset)).toEqual([5]);
    await log.close();
  });

  test('the group of a killed member goes to the next one, with its commits', async () => {
    const child = await start('hold-group.fault.ts', 'group');
    await child.waitForLines(1);
    child.process.stdin?.write('7\n');
    expect(await child.waitForLines(2)).toEqual(['holding', 'committed']);
    await child.kill();
    const log = await open();
    const consumer = await log.consume({ group: 'group', topics: ['plain'], waitMs: engine.leaseMs * 10 });
    expect(consumer.resumedFrom).toEqual([{ topic: 'plain', partition: 0, offset: 7, metadata: 'child' }]);
    await log.close();
  });

  test('a member that sleeps past its lease is fenced when it wakes, and its late commit changes nothing', async () => {
    const child = await start('hold-group.fault.ts', 'group');
    await child.waitForLines(1);
    child.process.kill('SIGSTOP');
    const log = await open();
    const consumer = await log.consume({ group: 'group', topics: ['plain'], waitMs: engine.leaseMs * 10 });
    const commit = { topic: 'plain', partition: 0, offset: 3, metadata: 'successor' };
    await consumer.commit(commit);
    child.process.stdin?.write('9\n');
    child.process.kill('SIGCONT');
    expect(await child.waitForLines(2)).toEqual(['holding', 'FencedError']);
    expect(await log.commits('group')).toEqual([commit]);
    // The child's transaction had a record beside its commit.
    expect(await log.ranges('plain')).toMatchObject([{ end: 0 }]);
    await consumer.commit({ ...commit, offset: 4 });
    await log.close();
  });

  test('a member that sleeps past its lease keeps the group when nobody else wanted it', async () => {
    const child = await start('hold-group.fault.ts', 'group');
    await child.waitForLines(1);
    child.process.kill('SIGSTOP');
    await sleep(engine.leaseMs * 1.5);
    child.process.stdin?.write('9\n');
    child.process.kill('SIGCONT');
    expect(await child.waitForLines(2)).toEqual(['holding', 'committed']);
  });
};
