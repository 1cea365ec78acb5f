import { expect, test } from 'vitest';
import { loadSchema, loadVersions } from '../platform/avro/schemas.ts';
import { blockParts } from '../testing/block-parts.ts';
import { buildBlock } from '../testing/build-block.ts';
import { toNewestBody } from './to-newest-body.ts';

type Field = { readonly name: string; readonly type: unknown; readonly default?: unknown };
const fieldsOf = ({ json }: { json: string }) => (JSON.parse(json) as { fields: Field[] }).fields;
const newest = loadSchema('BlockTransfers');
const names = ['BlockTransfers', 'TransactionTransfers'];

const [part] = blockParts(
  buildBlock({
    ...{ chain: 'base', number: 5, timeUnixSeconds: 1, controlCoverage: 'none' },
    transactions: [
      { hash: 'h', sender: 's', movements: [{ from: 'a', to: 'b', amountRaw: 3n }] },
      { hash: 'i', sender: 's' },
    ],
  }),
);

test.each(names.flatMap((name) => loadVersions(name).map((version, i) => [name, i + 1, version] as const)))(
  'what version %2$s of %1$s wrote is read as of the newest, its missing columns empty',
  (_, __, version) => {
    const body = toNewestBody(version, version.type.toBuffer(part));
    expect(newest.type.fromBuffer(body)).toEqual(newest.type.fromBuffer(newest.type.toBuffer(part)));
  },
);

test.each(names)(
  'columns of %s are only ever added at the end, as arrays that are empty by default',
  (name) => {
    const now = fieldsOf(newest);
    for (const version of loadVersions(name)) {
      const then = fieldsOf(version);
      expect(now.slice(0, then.length).map(({ name: n, type }) => [n, type])).toEqual(
        then.map(({ name: n, type }) => [n, type]),
      );
      for (const added of now.slice(then.length)) expect(added).toMatchObject({ default: [] });
    }
  },
);
