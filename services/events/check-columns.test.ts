import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONTROL_KINDS } from '../investigate/model/control-event.ts';
import { loadSchema, parseSchema } from '../platform/avro/schemas.ts';
import { type BlockTransfersPart, blockParts } from '../testing/block-parts.ts';
import { buildBlock } from '../testing/build-block.ts';
import { checkColumns } from './check-columns.ts';

const { type } = loadSchema('BlockTransfers');

const partOf = (transactions: number, amountRaw = 300n): BlockTransfersPart => {
  const block = buildBlock({
    chain: 'base',
    number: 5_000_000_000,
    timeUnixSeconds: null,
    transactions: Array.from({ length: transactions }, (_, i) => ({
      hash: `hash${i}`,
      sender: 'sender',
      movements: Array.from({ length: i % 3 }, () => ({ from: 'ä'.repeat(i), to: null, amountRaw })),
      bridgeTransfers: [
        {
          ...({ bridge: 'across', side: 'deposit', messageId: '1:2', farChain: null } as const),
          ...{ from: 'ä', to: null, asset: null, amountRaw },
        },
      ],
      controlEvents: [{ kind: 'approval', subject: 'token', detail: 'ä', amountRaw }],
    })),
  });
  const [part] = blockParts(block);
  if (!part) throw new Error('every block has a part');
  return part;
};

const whyUnreadable = (body: Buffer): string | null => checkColumns(body).refused;
const bodyOf = (part: object): Buffer => type.toBuffer(part);

test('whatever the encoder writes can be read', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (transactions, amountRaw) => {
      expect(whyUnreadable(bodyOf(partOf(transactions, amountRaw)))).toBeNull();
    }),
    { numRuns: 50 },
  );
});

test('a body that is cut anywhere, or goes on behind its end, is told', () => {
  const body = bodyOf(partOf(5));
  for (let length = 0; length < body.length; length += 1)
    expect(whyUnreadable(body.subarray(0, length))).toContain('not a BlockTransfers record');
  expect(whyUnreadable(Buffer.concat([body, Buffer.from([0])]))).toContain('after its end');
});

test('what is read as whole is what the schema reads, whatever bytes it is', () => {
  const body = bodyOf(partOf(6));
  fc.assert(
    fc.property(fc.nat(body.length - 1), fc.nat(255), (at, byte) => {
      const changed = Buffer.from(body);
      changed[at] = byte;
      if (whyUnreadable(changed) === null) expect(() => type.fromBuffer(changed)).not.toThrow();
    }),
    { numRuns: 2_000 },
  );
});

test.each<{ name: string; reason: string; change: (part: BlockTransfersPart) => unknown }>([
  { name: 'a shorter column', reason: 'm_*', change: (part) => part.m_to.pop() },
  { name: 'an asset without decimals', reason: 'asset*', change: (part) => part.asset.push('a') },
  { name: 'a count too high', reason: 'tx_movements count', change: (part) => part.tx_movements.fill(7) },
  { name: 'a negative count', reason: 'negative', change: (part) => part.tx_swaps.splice(0, 2, -1, 1) },
  { name: 'an unknown kind', reason: 'm_kind', change: (part) => part.m_kind.fill(11) },
  { name: 'a side of no crossing', reason: 'b_side', change: (part) => part.b_side.fill(2) },
  {
    name: 'a kind of no control event',
    reason: 'c_kind',
    change: (part) => part.c_kind.fill(CONTROL_KINDS.length),
  },
  { name: 'an unknown coverage', reason: 'keeps_control', change: (part) => part.keeps_control.fill(3) },
  { name: 'a shorter column of control events', reason: 'c_*', change: (part) => part.c_party.pop() },
  { name: 'control events too few', reason: 'tx_controls count', change: (part) => part.tx_controls.fill(0) },
  { name: 'counts of other transactions', reason: 'tx_*', change: (part) => part.tx_controls.push(0) },
  { name: 'a shorter column of crossings', reason: 'b_*', change: (part) => part.b_to.pop() },
  {
    name: 'an amount beyond 256 bits',
    reason: 'm_amount',
    change: (part) => part.m_amount.fill(Buffer.alloc(33, 1)),
  },
])('$name is told', ({ reason, change }) => {
  const part = partOf(6);
  change(part);
  expect(whyUnreadable(bodyOf(part))).toContain(reason);
});

test('the columns of bridges and of control events are cut out whole, each with what their tables need', () => {
  const part = partOf(4);
  const body = bodyOf(part);
  const checked = checkColumns(body);
  const { fields } = JSON.parse(loadSchema('BlockTransfers').json) as {
    fields: { name: string; type: unknown }[];
  };
  const read = (cut: Buffer | null | undefined, ...columns: string[]) => {
    const kept = fields.filter(
      ({ name, type }) => typeof type === 'string' || columns.some((begin) => name.startsWith(begin)),
    );
    const type = parseSchema(JSON.stringify({ type: 'record', name: 'cut', fields: kept })).type;
    return type.fromBuffer(cut ?? Buffer.alloc(0)) as BlockTransfersPart;
  };
  if (checked.refused !== null) throw new Error(checked.refused);
  expect(read(checked.bridges, 'b_')).toMatchObject({ b_from: part.b_from, b_to: part.b_to });
  expect(read(checked.control, 'tx_', 'keeps_control', 'c_')).toMatchObject({
    ...{ tx_hash: part.tx_hash, tx_controls: [1, 1, 1, 1], c_detail: part.c_detail },
  });
  expect(checked.keepsControl).toBe(2);
  const without = { ...part, keeps_control: [], tx_controls: [] };
  for (const name of Object.keys(part)) if (name.startsWith('c_')) Object.assign(without, { [name]: [] });
  expect(checkColumns(bodyOf(without))).toMatchObject({ refused: null, control: null, keepsControl: 0 });
});

/** The same columns, of which one may be longer. */
const parseWide = (wide: string) => {
  const schema = JSON.parse(loadSchema('BlockTransfers').json) as {
    fields: { name: string; type: string | { items: string } }[];
  };
  const fields = schema.fields.map(({ name, type }) => ({
    name,
    type: name !== wide ? type : typeof type === 'string' ? 'long' : { type: 'array', items: 'long' },
  }));
  return parseSchema(JSON.stringify({ ...schema, fields })).type;
};

test.each(['m_index', 'tx_index', 'part'])('a number of more than 32 bits in %s is told', (name) => {
  const wide = parseWide(name);
  for (const value of [2 ** 31, -(2 ** 31) - 1, 2 ** 52]) {
    const part = { ...partOf(6) };
    const column = part[name as keyof BlockTransfersPart];
    const changed = { ...part, [name]: Array.isArray(column) ? column.map(() => value) : value };
    expect(whyUnreadable(wide.toBuffer(changed))).toContain('32 bits');
  }
});

test('a time that is in milliseconds, before 1970 or later than the tables have years is told', () => {
  const at = (block_time: number) => whyUnreadable(bodyOf({ ...partOf(2), block_time }));
  for (const time of [1_700_000_000_000, 2 ** 32, -1]) expect(at(time)).toContain('block_time');
  for (const time of [0, 1_700_000_000, 2 ** 32 - 1]) expect(at(time)).toBeNull();
});
