import { beforeAll, expect, test } from 'vitest';
import type { DecodedBlock } from '../investigate/model/block.ts';
import { systemClock } from '../platform/clock.ts';
import { buildBlock, type MovementPlan } from '../testing/build-block.ts';
import { DeriveStage } from '../testing/derive-stage.ts';
import { watchTurns } from '../testing/longest-turn.ts';
import { startApi } from '../testing/start-api.ts';
import { copyServiceEntries } from '../warehouse/labels/copy-service-entries.ts';
import { createAssetReader } from '../warehouse/read/assets/assets.ts';
import { createPriceReader } from '../warehouse/read/assets/price.ts';
import { createCaseReader } from '../warehouse/read/create-case-reader.ts';
import { createControlReader } from '../warehouse/read/create-control-reader.ts';
import { createFunderReader } from '../warehouse/read/create-funder-reader.ts';
import { createProfileReader } from '../warehouse/read/create-profile-reader.ts';
import { createTokenReader } from '../warehouse/read/create-token-reader.ts';
import { createTraceReader } from '../warehouse/read/create-trace-reader.ts';
import { createTransferReader } from '../warehouse/read/create-transfer-reader.ts';

/** 1 makes it the hub of 200,000 payments, the million crumbs, the million holders and the 200,000 payers of the limit. */
const SHARE = Number(process.env.SPOOR_HEAVY_SHARE ?? 0.25);
const HEAP_MB_MAX = 300;
const TURN_MS_MAX = 2_000;

const AT_ONCE = 2_000;
const BEGIN = 1_700_000_000;
const address = (kind: string, n: number): string =>
  `0x${kind.repeat(20)}${n.toString(16).padStart(20, '0')}`;
const [HUB, STAR, TOKEN, CREATOR, THIEF] = ['a', 'b', 'c', 'd', 'e'].map((kind) => address(kind, 0)) as [
  string,
  string,
  string,
  string,
  string,
];
const HOUR = 3_600;
const DOLLAR = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';

const countTo = (most: number): IteratorObject<number> =>
  Array.from({ length: Math.round(most * SHARE) }).keys();

function* payments(): Generator<MovementPlan> {
  for (const n of countTo(100_000)) {
    yield { from: address('1', n), to: HUB, amountRaw: 10n ** 18n + BigInt(n) };
    yield { from: HUB, to: address('2', n), amountRaw: 10n ** 18n };
  }
  for (const n of countTo(1_000_000)) yield { from: STAR, to: address('3', n), amountRaw: 1_000_000n };
  yield { from: null, to: CREATOR, kind: 'mint', asset: TOKEN, amountRaw: 10n ** 30n };
  for (const n of countTo(1_000_000))
    yield { from: CREATOR, to: address('4', n), asset: TOKEN, amountRaw: 10n ** 18n + BigInt(n) };
  for (const n of countTo(200_000))
    yield { from: address('5', n), to: THIEF, asset: DOLLAR, amountRaw: 50_000_000n + BigInt(n) };
}

const hash = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

/** All within an hour, so that no window leaves any of it out. */
function* blocks(): Generator<DecodedBlock> {
  let number = 0;
  let moves: MovementPlan[] = [];
  const make = (): DecodedBlock => {
    const transactions = moves.map((move, at) => ({
      ...{ hash: hash(number * AT_ONCE + at), sender: move.from ?? move.to ?? '', movements: [move] },
    }));
    moves = [];
    number += 1;
    return buildBlock({ chain: 'ethereum', number, timeUnixSeconds: BEGIN + (number % HOUR), transactions });
  };
  for (const payment of payments()) if (moves.push(payment) === AT_ONCE) yield make();
  yield make();
}

const stage = new DeriveStage();

beforeAll(
  async () => {
    await stage.nameHot('ethereum', { [HUB]: 'alder' });
    const some: DecodedBlock[] = [];
    for (const block of blocks()) if (some.push(block) === 10) await stage.insert(some.splice(0));
    await stage.insert(some);
    await copyServiceEntries({ client: stage.warehouse.writer, untilStored: async () => {} });
    await stage.derive();
  },
  240_000 + SHARE * 1_200_000,
);

const chain = 'ethereum';
const asked: [name: string, path: string, body: object, cut: RegExp | null][] = [
  [
    '/trace at a hub',
    '/trace',
    { chain, wallet: address('1', 0), counterparty: HUB, signature: hash(0), direction: 'out' },
    /More transfers match than are read: the search is not complete/,
  ],
  [
    '/analyze of a hub',
    '/analyze',
    { chain, address: HUB },
    /Only its newest 20,?000 transactions were read/,
  ],
  [
    '/analyze of a star of crumbs',
    '/analyze',
    { chain, address: STAR },
    /Only its newest 20,?000 transactions were read/,
  ],
  [
    '/insiders of a token with very many holders',
    '/insiders',
    { chain, token: TOKEN },
    /Only the first 3,?000 transactions of the token were read/,
  ],
  [
    '/victims of a thief with very many payers',
    '/victims',
    { chain, address: THIEF },
    /Only the first 5,?000 transactions that paid the address were read/,
  ],
  ['/victims of a star of crumbs', '/victims', { chain, address: STAR }, null],
];

const heapMb = (): number => process.memoryUsage().heapUsed / (1 << 20);

test.each(asked)(
  '%s stays within its memory, and others are answered beside it',
  async (name, path, body, cut) => {
    const { reader: client } = stage.warehouse;
    const readers = {
      ...{ reader: createTransferReader(client), traceReader: createTraceReader(client) },
      ...{ profileReader: createProfileReader(client), cases: createCaseReader(client) },
      ...{ control: createControlReader(client), controls: createControlReader(client) },
      ...{ funders: createFunderReader(client), tokens: createTokenReader(client) },
      ...{ prices: createPriceReader(client), assets: createAssetReader(client) },
    };
    await using api = await startApi({ ...readers, clock: systemClock });
    const before = heapMb();
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, heapMb());
    }, 5);
    const { result, longestTurnMs } = await watchTurns(async () => {
      const response = await api.post(path, body);
      return { status: response.status, text: await response.text() };
    }).finally(() => clearInterval(sampling));
    const figures = { heap_mb: Math.round(most - before), longest_turn_ms: Math.round(longestTurnMs) };
    process.stdout.write(`${JSON.stringify({ name, ...figures, status: result.status })}\n`);
    expect(figures.heap_mb).toBeLessThan(HEAP_MB_MAX);
    expect(figures.longest_turn_ms).toBeLessThan(TURN_MS_MAX);
    expect(result.status).toBe(200);
    // Nobody paid the star of crumbs, so there is nothing to be cut.
    const { meta } = JSON.parse(result.text) as { meta: { detail: string | null } };
    if (cut === null) expect(meta.detail).toBeNull();
    else expect(meta.detail).toMatch(cut);
  },
);
