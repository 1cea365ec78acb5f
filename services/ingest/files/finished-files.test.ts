import { expect, onTestFinished, test } from 'vitest';
import { openCodec } from '../../platform/avro/codec.ts';
import { openStore } from '../../roles/store/open-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type FileIngested, FinishedFiles } from './finished-files.ts';

const FILE = { path: '/blocks/1.json', version: '1' };

const stage = async () => {
  const store = await openStore({ dataFolder: temporaryFolder(), name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const codec = await openCodec<FileIngested>(store.registry, 'FileIngested');
  const passed: string[] = [];
  return {
    passed,
    spoil: () =>
      store.log.append([{ topic: 'ingest.checkpoints', key: 'x', value: Buffer.from('no note of ours') }]),
    readAs: (program: string) =>
      FinishedFiles.read(store.log, codec, program, ({ message }) => passed.push(message)),
    refuse: async (files: FinishedFiles, code: string) => {
      const none = { chain: '', block_number: -1, block_hash: '', movements: 0 };
      await store.log.append([files.finish({ ...FILE, ...none, refused: files.refusal(code, 'why') })]);
    },
    store: async (files: FinishedFiles) => {
      const block = { chain: 'solana', block_number: 1, block_hash: 'h', movements: 1 };
      await store.log.append([files.finish({ ...FILE, ...block, refused: '' })]);
    },
  };
};

test('a file that is broken is done with for every version of the program', async () => {
  const { readAs, refuse } = await stage();
  await refuse(await readAs('1.0.0'), 'not_json');
  for (const program of ['1.0.0', '1.1.0'])
    expect((await readAs(program)).whyRefused(FILE)).toBe('not_json: why');
});

test('a file at which the program itself failed is tried again by another version of it, and only by that', async () => {
  const { readAs, refuse, store } = await stage();
  const failing = await readAs('1.0.0');
  await refuse(failing, 'internal');
  for (const files of [failing, await readAs('1.0.0')])
    expect(files.whyRefused(FILE)).toBe('internal in 1.0.0: why');
  const next = await readAs('1.1.0');
  expect(next.whyRefused(FILE)).toBeNull();
  await store(next);
  for (const program of ['1.0.0', '1.1.0']) expect((await readAs(program)).whyRefused(FILE)).toBe('');
});

test('a note that nobody can read is passed over and said, and the others are known', async () => {
  const { readAs, spoil, store, passed } = await stage();
  await spoil();
  await store(await readAs('1.0.0'));
  passed.length = 0;
  expect((await readAs('1.0.0')).whyRefused(FILE)).toBe('');
  expect(passed).toEqual([expect.stringMatching(/^record 0 of ingest\.checkpoints\/\d+ is passed over: /)]);
});
