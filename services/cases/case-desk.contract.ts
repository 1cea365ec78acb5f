import { expect, onTestFinished, test } from 'vitest';
import { openConfluentRegistry } from '../platform/avro/confluent-registry.ts';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { systemClock } from '../platform/clock.ts';
import { type LedgerPlace, openLedgerEngine } from '../testing/ledger/open-ledger-engine.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { openCaseCodec } from './case-codec.ts';
import { openCaseDesk } from './case-desk.ts';

/** A desk as one more process on the log would open it. */
const openDesk = async (place: LedgerPlace) => {
  const { log } = await openLedgerEngine(place);
  const { kafka, folder } = place;
  const registry = kafka
    ? openConfluentRegistry(kafka.registryUrl)
    : openLocalRegistry(`${folder}/schemas.json`);
  const desk = await openCaseDesk({
    ...{ log, codec: await openCaseCodec(registry), clock: systemClock },
    onError: (error) => expect.unreachable(String(error)),
  });
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await desk.stop().then(log.close);
    isOpen = false;
  };
  onTestFinished(close);
  return { ...desk, log, close };
};

const FIRST = '{"type":"answered"}';

/** What cases promise, on any engine of the event log. */
export const testCases = (provision: (folder: string) => LedgerPlace): void => {
  const places = (): LedgerPlace => provision(temporaryFolder());

  test('a case is the same in another process and after a restart: each step, what was undone, and its name', async () => {
    const place = places();
    const [desk, other] = [await openDesk(place), await openDesk(place)];
    const { id } = await desk.make('open', 'first', FIRST);
    const which = { owner: 'open', id };
    await desk.take(which, 1, '{"a":1}');
    await desk.take(which, 2, '{"b":"ä"}');
    await desk.undo(which, 3);
    await desk.rename(which, 'second');
    const steps = { done: [FIRST, '{"a":1}'], undone: ['{"b":"ä"}'] };
    await expect.poll(() => other.find(which)?.name).toBe('second');
    for (const reader of [desk, other, await openDesk(place)]) {
      const found = reader.find(which);
      if (found === null) expect.unreachable('the case is not known');
      expect(await reader.read(found)).toEqual(steps);
      expect(found).toMatchObject({ version: 4, name: 'second' });
    }
    await other.redo(which, 4);
    await expect.poll(() => desk.find(which)?.version).toBe(5);
  });

  test('of changes to one version in two processes one counts, and the other hears that the case was changed', async () => {
    const place = places();
    const [desk, other] = [await openDesk(place), await openDesk(place)];
    const { id } = await desk.make('open', 'n', FIRST);
    const which = { owner: 'open', id };
    await expect.poll(() => other.find(which)).not.toBeNull();
    const both = await Promise.allSettled([desk.take(which, 1, '{"a":1}'), other.take(which, 1, '{"b":1}')]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'changed' } });
    await expect.poll(() => other.find(which)?.done.length).toBe(2);
  });

  test('a link opens its case until it is revoked, replaced, or the case deleted; the log does not hold it', async () => {
    const desk = await openDesk(places());
    const { id } = await desk.make('account:a', 'n', FIRST);
    const which = { owner: 'account:a', id };
    const first = await desk.share(which);
    expect(Buffer.from(first, 'base64url')).toHaveLength(32);
    expect(desk.findShared(first)?.id).toBe(id);
    const second = await desk.share(which);
    expect([desk.findShared(first), desk.findShared(second)?.id]).toEqual([null, id]);
    await desk.unshare(which);
    expect(desk.findShared(second)).toBeNull();
    const third = await desk.share(which);
    await desk.remove(which);
    expect([desk.findShared(third), desk.find(which), desk.casesOf('account:a')]).toEqual([null, null, []]);
    const records = await desk.log.read({
      topic: 'cases.events',
      partition: 0,
      offset: 0,
      maxBytes: 1 << 20,
    });
    const stored = Buffer.concat(records.map(({ value }) => value)).toString('latin1');
    for (const link of [first, second, third]) expect(stored).not.toContain(link);
  });

  test('a case of another owner is not there, whatever is done with it', async () => {
    const desk = await openDesk(places());
    const { id } = await desk.make('account:a', 'n', FIRST);
    const theirs = { owner: 'account:b', id };
    expect(desk.find(theirs)).toBeNull();
    for (const attempt of [
      () => desk.take(theirs, 1, '{}'),
      () => desk.undo(theirs, 1),
      () => desk.rename(theirs, 'x'),
      () => desk.share(theirs),
      () => desk.unshare(theirs),
      () => desk.remove(theirs),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'unknown' });
    expect(desk.casesOf('account:b')).toEqual([]);
  });
};
