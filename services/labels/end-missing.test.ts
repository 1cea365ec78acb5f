import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { openLabelEvents } from '../events/label-events.ts';
import { openStore } from '../roles/store/open-store.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';
import { endMissing } from './end-missing.ts';
import { csv } from './formats/csv.ts';
import { importLabels } from './import-labels.ts';
import { KnownLabels } from './known-labels.ts';

const A = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';
const B = `0x${'b'.repeat(40)}`;
const C = `0x${'c'.repeat(40)}`;

/** Imports whole lists of sanctions, each `address,chain,name` a row, into a store of its own. */
const openLists = async () => {
  const dataFolder = temporaryFolder();
  const store = await openStore({ dataFolder, name: 'chain', maxQueuedBytes: 1 << 20 });
  onTestFinished(() => store.close());
  const labels = await openLabelEvents(store.registry);
  let nowUnixSeconds = 1_700_000_000;
  return async (...rows: string[]) => {
    nowUnixSeconds += 100;
    const text = `address,chain,name\n${rows.join('\n')}\n`;
    const options = { source: 'ofac', kind: 'sanctioned' } as const;
    const file = { path: 'list.csv', options, open: () => Readable.from([text]), text: async () => text };
    const known = await KnownLabels.read(store.log, labels, 'ofac');
    const target = { log: store.log, labels };
    const outcomes: string[] = [];
    const events = {
      taken: (_: object, outcome: string) => outcomes.push(outcome),
      refused: ({ code }: { code: string }) => outcomes.push(code),
    };
    const { signal } = new AbortController();
    const said = await importLabels({ format: csv, file, known, target, nowUnixSeconds, events }, signal);
    return { outcomes, ...(await endMissing({ known, said, source: 'ofac', target, nowUnixSeconds })) };
  };
};

test('a row that was refused for its address ends nothing of the list, until it is said rightly', async () => {
  const read = await openLists();
  await read(`${A},ethereum,Alder`, `${B},ethereum,Birch`, `${C},ethereum,Cedar`);
  const refused = await read(`${A.replace('d8da', 'D8da')},ethereum,Alder`, `${B},ethereum,Birch`);
  expect(refused).toEqual({ outcomes: ['bad_checksum', 'known'], ended: 0, withheld: 2 });
  const corrected = await read(`${A},ethereum,Alder`, `${B},ethereum,Birch`);
  expect(corrected).toEqual({ outcomes: ['known', 'known'], ended: 1, withheld: 0 });
});

test('a row that was refused for something else does not end what is known of its own address', async () => {
  const read = await openLists();
  await read(`${A},ethereum,Alder`, `${B},ethereum,Birch`, `${C},ethereum,Cedar`);
  expect(await read(`${A},etherium,Alder`, `${B},ethereum,Birch`)).toEqual({
    outcomes: ['chain_not_served', 'known'],
    ended: 1,
    withheld: 1,
  });
});

test('the same whole list again is known and ends nothing, also where a name is cut within a character', async () => {
  const read = await openLists();
  const rows = [`${A},ethereum,${'x'.repeat(199)}😀 drainer`, `${B},ethereum,Birch`];
  expect(await read(...rows)).toMatchObject({ outcomes: ['new', 'new'] });
  expect(await read(...rows)).toEqual({ outcomes: ['known', 'known'], ended: 0, withheld: 0 });
});
