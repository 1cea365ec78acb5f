import { parseArgs } from 'node:util';
import type { TruthLine } from '../../services/demo-world/truth.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import type { Price } from '../../services/investigate/model/price-reader.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { say } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

type Answer = {
  readonly chain: string;
  readonly asset: string;
  readonly time: number;
  readonly price: Price | null;
};
type Truth = Extract<TruthLine, { type: 'price' }>;

const HOUR = 3_600;
const QUESTIONS_EACH = 1_000;
/** An asset is liquid if its own trades price at least half of all hours. */
const LIQUID_SHARE = 0.5;

/** The price of every traded asset at every hour, from its swaps alone. */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({ args: [...argv], options: { world: { type: 'string' } } });
  return withWorldTables({ seed: parseSeed(values.world) }, async (tables) => {
    const { answers, liquid } = await answerAll(tables);
    return grade(answers, liquid, tables.openTruth());
  });
};

type Answers = { readonly answers: readonly Answer[]; readonly liquid: ReadonlySet<string> };

const answerAll = async ({ client }: WorldTables): Promise<Answers> => {
  const ask = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONEachRow' })).json<T>();
  const traded = await ask<{ chain: string; asset: string; hours: string }>(
    `SELECT chain, asset, uniqExact(hour) AS hours FROM market_trades GROUP BY chain, asset`,
  );
  const [span] = await ask<{ first: number; last: number }>(
    `SELECT toUnixTimestamp(min(time)) AS first, toUnixTimestamp(max(time)) AS last FROM blocks`,
  );
  if (span === undefined) throw new Error('the world has no blocks');
  const times: number[] = [];
  for (let time = Math.ceil(span.first / HOUR) * HOUR; time <= span.last; time += HOUR) times.push(time);
  const answers: Answer[] = [];
  for (const { chain, asset } of traded)
    answers.push(...(await priceOverTime(client, { chain, asset, times })));
  const liquid = traded.filter(({ hours }) => Number(hours) >= LIQUID_SHARE * times.length);
  return { answers, liquid: new Set(liquid.map(key)) };
};

const priceOverTime = async (
  client: WorldTables['client'],
  request: { chain: string; asset: string; times: readonly number[] },
): Promise<Answer[]> => {
  const chain = findChain(request.chain);
  if (chain === null) throw new Error(`chain ${request.chain} is not known`);
  const reader = createPriceReader(client);
  const answers: Answer[] = [];
  for (let from = 0; from < request.times.length; from += QUESTIONS_EACH) {
    const times = request.times.slice(from, from + QUESTIONS_EACH);
    const moments = times.map((time) => ({ canonicalAsset: request.asset, timeUnixSeconds: time }));
    const limits = { signal: AbortSignal.timeout(30_000), timeoutMs: 30_000 };
    const prices = await reader.prices({ chain }, moments, limits);
    answers.push(...times.map((time, at) => ({ ...request, time, price: prices[at] ?? null })));
  }
  return answers;
};

const key = ({ chain, asset }: { chain: string; asset: string }): string => `${chain} ${asset}`;

export const grade = (
  answers: readonly Answer[],
  liquid: ReadonlySet<string>,
  truth: readonly TruthLine[],
): Figure[] => {
  const real = truth.filter((line): line is Truth => line.type === 'price');
  const usdAt = new Map(real.map((line) => [`${key(line)} ${line.time}`, line.usd]));
  // Launched tokens have no true price and cannot be graded.
  const gradable = answers.filter((answer) => usdAt.has(`${key(answer)} ${answer.time}`));
  const errors = gradable.flatMap((answer) => {
    const usd = usdAt.get(`${key(answer)} ${answer.time}`);
    if (usd === undefined || answer.price === null) return [];
    return [{ asset: key(answer), error: Math.abs(answer.price.usd / usd - 1) }];
  });
  const ofLiquid = errors.filter(({ asset }) => liquid.has(asset));
  for (const [asset, of] of Map.groupBy(errors, (each) => each.asset))
    say(
      `${asset}: median error ${median(of).toFixed(5)} of ${of.length} answers${liquid.has(asset) ? ', liquid' : ''}`,
    );
  return [
    toFigure(
      {
        name: 'prices.median_relative_error',
        unit: 'share',
        subject: `${ofLiquid.length} prices of ${liquid.size} liquid assets`,
        atMost: 0.005,
      },
      [median(ofLiquid)],
    ),
    toFigure(
      { name: 'prices.median_relative_error_all', unit: 'share', subject: `${errors.length} prices` },
      [median(errors)],
    ),
    toFigure({ name: 'prices.answered_share', unit: 'share', subject: `${gradable.length} questions` }, [
      gradable.length === 0 ? 0 : errors.length / gradable.length,
    ]),
  ];
};

const median = (errors: readonly { error: number }[]): number =>
  errors.map(({ error }) => error).toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? Number.NaN;

export const evaluation: Bench = { name: 'prices', run };
