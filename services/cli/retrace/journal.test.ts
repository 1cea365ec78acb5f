import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { openJournal } from './journal.ts';
import { readEarlier } from './report-changes.ts';
import type { KeptResult } from './result.ts';
import { writeResults } from './write-results.ts';

test.each(['\u2028', '\u2029', '\u0085', '\r', '\n', '"'])(
  'a name with %j in it is kept, and read back, and what is done stays done',
  async (character) => {
    const path = `${temporaryFolder()}/out.jsonl`;
    const refused = { code: 'nothing_to_trace', field: '', message: `a${character}b` };
    const kept = [0, 1].map(
      (place) =>
        ({ at: `line ${place}`, place, body: { signature: `s${place}` }, refused }) as never as KeptResult,
    );
    const run = { run: 'r', input: 'i', options: 'o' };
    (await openJournal(path, run)).append(kept);
    const journal = await openJournal(path, run);
    expect(journal.done).toBe(2);
    const read: KeptResult[] = [];
    for await (const result of journal.results()) read.push(result);
    expect(read).toEqual(kept);
    await writeResults(`${path}.jsonl`, journal.results());
    expect([...(await readEarlier(`${path}.jsonl`)).values()]).toMatchObject([{ refused }, { refused }]);
  },
);
