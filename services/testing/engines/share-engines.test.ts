import { afterEach, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';
import shareEngines from './share-engines.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** What suites are given on a machine with neither Docker nor Java, where nothing was ever fetched. */
const shareWithout = async (requireBrokers: string): Promise<unknown[]> => {
  vi.stubEnv('PATH', '');
  vi.stubEnv('XDG_CACHE_HOME', temporaryFolder());
  vi.stubEnv('SPOOR_REQUIRE_BROKERS', requireBrokers);
  const provided: unknown[] = [];
  const provide = (...given: unknown[]): void => void provided.push(given);
  await shareEngines({ name: 'brokers', provide });
  return provided;
};

test('where no broker can run, suites are told why', async () => {
  expect(await shareWithout('')).toEqual([
    ['engines', { missing: expect.stringMatching(/^Java 17 or newer is not installed/) }],
  ]);
});

test('where brokers are demanded, a run without them fails', async () => {
  await expect(shareWithout('1')).rejects.toMatchObject({ code: 'engine_missing' });
});
