import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { csv } from './formats/csv.ts';
import { importLabels } from './import-labels.ts';
import { KnownLabels } from './known-labels.ts';

const listOf = (text: string, source: string) => ({
  path: 'list.csv',
  options: { source },
  open: () => Readable.from([text]),
  text: async () => text,
});
const NEVER = new AbortController().signal;

test('no list takes a name of ours as its own, whatever blanks stand around it', async () => {
  const text = 'address,chain,name\n0xd8da6bf26964af9d7eed9e03e53415d37aa96045,ethereum,Alder\n';
  const refused: string[] = [];
  for (const source of ['curated', ' curated', 'curated\t']) {
    const file = listOf(text, source);
    const events = { taken: () => {}, refused: ({ code }: { code: string }) => void refused.push(code) };
    const request = { format: csv, file, known: new KnownLabels(), nowUnixSeconds: 1, events, target: null };
    await importLabels({ ...request, reserved: new Set(['curated']) }, NEVER);
  }
  expect(refused).toEqual(['reserved_source', 'reserved_source', 'reserved_source']);
});

test('a list that says more than is remembered of one is refused, and one that says the same again and again is not', async () => {
  const rows = ['Alder', 'Birch', 'Cedar'].map(
    (name) => `0xd8da6bf26964af9d7eed9e03e53415d37aa96045,ethereum,${name}`,
  );
  const importOf = (...lines: (string | undefined)[]) =>
    importLabels(
      {
        format: csv,
        file: listOf(['address,chain,name', ...lines].join('\n'), 'list'),
        known: new KnownLabels(),
        nowUnixSeconds: 1,
        events: { taken: () => {}, refused: () => {} },
        labelsMax: 2,
        target: null,
      },
      NEVER,
    );
  await expect(importOf(...rows)).rejects.toThrow('list.csv: says more than 2 labels: import it in parts');
  expect((await importOf(rows[0], rows[1], rows[0], rows[1])).identities.size).toBe(2);
});

const EXCHANGE = '0x28c6c06298d514db089934071355e5743bf21d60';
const THIEF = '0xd8da6bf26964af9d7eed9e03e53415d37aa96045';

/** What is refused of an accusing list where another list is known already. */
const accuse = async (
  held: { kind: string; name: string; source?: string },
  { accused = EXCHANGE, source = 'thieves', kind = 'hack', chain = 'ethereum', accepted = '' } = {},
) => {
  const known = new KnownLabels();
  const codes: string[] = [];
  const run = (rows: string, from: string) =>
    importLabels(
      {
        ...{
          format: csv,
          file: listOf(`address,chain,name,kind\n${rows}\n`, from),
          known,
          nowUnixSeconds: 1,
        },
        events: { taken: () => void codes.push('taken'), refused: ({ code }) => void codes.push(code) },
        ...{ target: null, accepted: new Set([accepted]) },
      },
      NEVER,
    );
  await run(`${EXCHANGE},ethereum,${held.name},${held.kind}`, held.source ?? 'exchanges');
  codes.length = 0;
  const said = await run(`${accused},${chain},Thief 7,${kind}`, source);
  return { codes, said };
};

test('an accusation of what another list calls a service is put aside, on every chain of its family', async () => {
  for (const kind of ['exchange', 'bridge', 'dex', 'mixer'])
    expect((await accuse({ kind, name: 'Alder 14' })).codes).toEqual(['quarantined']);
  expect((await accuse({ kind: 'exchange', name: 'Alder 14' }, { chain: 'base' })).codes).toEqual([
    'quarantined',
  ]);
  const { said } = await accuse({ kind: 'exchange', name: 'Alder 14' });
  expect([said.identities.size, [...said.refused]]).toEqual([0, [EXCHANGE]]);
});

test.each<[string, Parameters<typeof accuse>]>([
  ['of another address', [{ kind: 'exchange', name: 'Alder 14' }, { accused: THIEF }]],
  ['of one customer’s deposit address', [{ kind: 'exchange', name: 'Alder deposit' }]],
  [
    'by an authority',
    [
      { kind: 'exchange', name: 'Alder' },
      { kind: 'sanctioned', source: 'ofac' },
    ],
  ],
  ['of a mixer that a list calls sanctioned', [{ kind: 'mixer', name: 'Fog' }, { kind: 'sanctioned' }]],
  ['of what the same list calls a service', [{ kind: 'exchange', name: 'Alder', source: 'thieves' }]],
  ['that is accepted by its address', [{ kind: 'exchange', name: 'Alder 14' }, { accepted: EXCHANGE }]],
  ['of no service', [{ kind: 'other', name: 'Vault' }]],
])('an accusation %s is taken', async (_, [held, accusation]) => {
  expect((await accuse(held, accusation)).codes).toEqual(['taken']);
});
