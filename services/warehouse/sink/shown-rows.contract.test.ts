import { describe, expect, test } from 'vitest';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import { blockParts } from '../../testing/block-parts.ts';
import { blockOf, encodePart, range, SinkStage } from '../../testing/sink-stage.ts';
import { VISIBLE_ROWS } from '../sql-clauses.ts';

const HEAD = 'transfers.head';
const stage = new SinkStage();

describe('of a block that comes again in more or in fewer parts', () => {
  const known = (block: DecodedBlock) => {
    const [movement] = block.movements;
    return {
      ...block,
      movements: movement ? [...block.movements, { ...movement, index: 9, txIndex: 39 }] : [],
    };
  };
  const split = (block: DecodedBlock) => blockParts(block, 2_000).map((part) => encodePart(part));

  test('that copy stands of which more is known, and of equals the first', async () => {
    const [one, several, third] = [blockOf(1, 40), blockOf(2, 40), blockOf(3, 40)];
    await stage.append([...stage.encoded(one), ...split(several), ...split(third)]);
    await stage.append([...split(one), ...stage.encoded(several), ...stage.encoded(known(third))]);
    await stage.drain();
    await stage.append([...split(known(one)), ...stage.encoded(third)], 1);
    await stage.drain();
    const parts = split(several).length;
    expect(parts).toBeGreaterThan(1);
    expect(
      await stage.ask(
        `SELECT number, count(), any(parts) FROM blocks WHERE ${VISIBLE_ROWS} GROUP BY number ORDER BY number`,
      ),
    ).toEqual([
      ['1', String(split(known(one)).length), split(known(one)).length],
      ['2', String(parts), parts],
      ['3', '1', 1],
    ]);
    // A transaction that two parts share is listed in both.
    await stage.expectTables([known(one), several, known(third)], { without: ['blocks', 'transactions'] });
  });

  test('the same one stands after a rebuild, where they came by both topics', async () => {
    const untraced = blockOf(7, 40);
    const traced = known(untraced);
    for (const [head, final] of [
      [untraced, traced],
      [traced, untraced],
    ] as const) {
      await stage.renew();
      await stage.append(stage.encoded(final));
      await stage.drain();
      await stage.append(stage.encoded(head), 0, HEAD);
      await stage.drain();
      await stage.expectTables([traced]);
      await stage.refill();
      await stage.expectTables([traced]);
    }
  });
});

describe('a final block takes the place of the one that the head holds of an abandoned branch', () => {
  const fork: DecodedBlock = { ...blockOf(3), hash: 'fork-3' };
  const final = range(1, 4);
  const ofHead = () => stage.append(stage.encoded(...range(1, 2), fork), 0, HEAD);
  const ofRange = () => stage.append(stage.encoded(...final));

  test.each([
    ['before it', [ofHead, ofRange]],
    ['behind it', [ofRange, ofHead]],
  ])('that was stored %s', async (_, appends) => {
    for (const append of appends) {
      await append();
      await stage.drain();
    }
    await stage.expectTables(final);
    await stage.refill();
    await stage.expectTables(final);
  });
});

describe('a final block stands, though the head takes back its own copy of it', () => {
  const final = (transactions?: number) => ({ ...blockOf(10, transactions), hash: 'final' });
  const other = { ...blockOf(10, 5), hash: 'abandoned' };
  const takeBack = async () => {
    const place = { chain: 'solana', blockNumber: 10, blockHash: 'final' };
    const retraction = stage.store.encodeRetraction({ ...place, offsets: [0] });
    await stage.append([retraction, ...stage.encoded(other)], 0, HEAD);
  };

  test.each([
    ['that was there first', 3, 3],
    ['that knew more from the start', 3, 1],
  ])('%s', async (_, ofHead, ofRange) => {
    await stage.append(stage.encoded(final(ofHead)), 0, HEAD);
    await stage.drain();
    await stage.append(stage.encoded(final(ofRange)), 3);
    await stage.drain();
    await takeBack();
    await stage.drain();
    await stage.expectTables([final(ofHead)], { without: ['assets'] });
    expect(await stage.deadLetters()).toEqual([]);
  });

  test('that came later and knew more', async () => {
    await stage.append(stage.encoded(final(1)), 3);
    await stage.append(stage.encoded(final(3)), 0, HEAD);
    await stage.drain();
    await takeBack();
    await stage.drain();
    await stage.expectTables([final(3)]);
  });

  test('within one batch', async () => {
    await stage.append(stage.encoded(final()), 3);
    await stage.drain();
    await stage.append(stage.encoded(final(5)), 0, HEAD);
    await takeBack();
    await stage.drain();
    await stage.expectTables([final(5)]);
  });
});
