import fc from 'fast-check';
import { expect, test } from 'vitest';
import { move, type StoryStep } from '../../testing/chain-story.ts';
import { ask, buys, funds, SUPPLY, sells, T, token } from '../../testing/insiders-story.ts';
import type { InsidersReport } from './insiders-report.ts';

const WALLETS = ['ann', 'bea', 'cyd', 'hub', 'maker'];
const wallet = fc.constantFrom(...WALLETS);
const made: StoryStep = {
  ...{ time: T - 600, hash: 'made', by: 'maker' },
  controls: [{ kind: 'contract_created', subject: 'token', holder: 'maker' }],
};
const issued: StoryStep = {
  ...{ time: T, hash: 'issued', by: 'maker' },
  moves: [move(null, 'curve', SUPPLY, { ...token, kind: 'mint' })],
};
const story = fc
  .record({
    before: fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), wallet, wallet), { maxLength: 5 }),
    bought: fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), wallet), { maxLength: 5 }),
    sold: fc.array(fc.tuple(fc.integer({ min: 91, max: 200 }), wallet), { maxLength: 2 }),
  })
  .map(({ before, bought, sold }) =>
    [
      ...before.map(([hours, from, to]) => funds(hours, from, to)),
      ...[made, issued],
      ...bought.map(([at, buyer]) => buys(at, buyer)),
      ...sold.map(([at, seller]) => sells(at, seller, 1n, 1n)),
    ].toSorted((a, b) => a.time - b.time),
  );

/** Facts of a report that the whole world contradicts and that do not say that they are of indexed blocks. */
const contradictions = (part: InsidersReport, whole: InsidersReport): string[] => {
  const facts = ({ supplyRaw, holders, launch, creator, totals }: InsidersReport) => ({
    supplyRaw: supplyRaw === null ? null : String(supplyRaw),
    ...{ holders, launch: launch?.signature ?? null, venue: launch?.venue ?? null },
    ...{ creator: creator?.address ?? null, funder: creator?.funder ?? null, early: totals.earlyBuyers },
  });
  const is: Record<string, unknown> = facts(whole);
  const told = Object.entries(facts(part)).filter(([name, value]) => value !== null && value !== is[name]);
  const sharesOf = (of: InsidersReport) =>
    new Map(of.insiders.map(({ address, shareHeld, heldRaw }) => [address, `${shareHeld} ${heldRaw}`]));
  const known = sharesOf(whole);
  const ties = new Set(
    whole.insiders.flatMap(({ address, links }) => links.map(({ detail }) => `${address} ${detail}`)),
  );
  return [
    ...told.map(([name, value]) => `${name}: ${value}, is ${is[name]}`),
    ...[...sharesOf(part)].filter(([address, held]) => known.has(address) && known.get(address) !== held),
    ...part.insiders.flatMap(({ address, links }) =>
      links
        .map(({ detail }) => `${address} ${detail}`)
        .filter((tie) => !tie.includes('indexed') && !ties.has(tie)),
    ),
  ].map(String);
};

test('without some blocks no report tells a fact that the whole world contradicts, unless it names indexed blocks', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(story, fc.array(fc.nat(14), { maxLength: 3 }), async (steps, missing) => {
      const kept = steps.filter((_, at) => !missing.includes(at));
      const last = steps.findLast((_, at) => missing.includes(at))?.time;
      // Steps of one second share a block.
      const stays = kept.filter(({ time }) =>
        steps.every((each, at) => each.time !== time || !missing.includes(at)),
      );
      const whole = await ask(steps);
      const missingSince = steps.find((_, at) => missing.includes(at))?.time;
      const part = await ask(stays, last === undefined ? {} : { indexedSince: last + 1, missingSince });
      expect(contradictions(part, whole), `without blocks up to ${last}`).toEqual([]);
      if (last === undefined) expect(part).toEqual(whole);
      else told += part.insiders.length;
    }),
    { numRuns: 300 },
  );
  expect(told).toBeGreaterThan(30);
});
