import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.ts';
import { writeBody } from './write-body.ts';

const MIB = 1 << 20;

test('a body lies in its file to the byte, whatever pieces it came in', async () => {
  const whole = randomBytes(5 * MIB);
  const ends = [0, 1, 65_537, MIB, MIB, 4 * MIB + 3, whole.length];
  // Copies: what was written is given back.
  const pieces = ends.slice(1).map((end, at) => Buffer.from(whole.subarray(ends[at], end)));
  const path = join(temporaryFolder(), 'body');
  expect(await writeBody(Readable.from(pieces), path, new AbortController().signal)).toBe(whole.length);
  expect(readFileSync(path).equals(whole)).toBe(true);
});

test('a body that ends early is an error, and so is one that nobody waits for any more', async () => {
  const folder = temporaryFolder();
  const broken = Readable.from(
    (function* () {
      yield Buffer.from('half');
      throw new Error('gone');
    })(),
  );
  await expect(writeBody(broken, join(folder, 'a'), new AbortController().signal)).rejects.toThrow('gone');
  const endless = new Readable({ read: () => {} });
  await expect(writeBody(endless, join(folder, 'b'), AbortSignal.timeout(1))).rejects.toThrow('aborted');
});
