/** Holds the lock of that path until it is killed. */
import { withFileLock } from '../platform/with-file-lock.ts';

const [path = ''] = process.argv.slice(2);
await withFileLock(path, () => {
  process.stdout.write('held\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});
