import { parseArgs } from 'node:util';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import type { Direction } from '../../services/investigate/model/trace-reader.ts';
import { traceTogether } from '../../services/investigate/trace/together/trace-together.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import { TraceRefusedError, type TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import type { WarehouseClient } from '../../services/platform/warehouse-engine/warehouse.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import { createTraceReader } from '../../services/warehouse/read/create-trace-reader.ts';
import { say, secondsOf } from '../bench/bench-store.ts';
import { type Bench, type Figure, toFigure } from '../bench/figure.ts';
import { wholeNumber } from '../bench/number-options.ts';
import { readWorld, type WorldReaders } from './traced-world.ts';
import { parsePeople, parseSeed, type WorldTables, withWorldTables } from './world-tables.ts';

const ANCHORS = 10_000;
const WAVE = 256;
/** How many are traced one by one over the tables as well as over memory, which takes a hundredth of the time. */
const OVER_TABLES = 300;
const { signal } = new AbortController();

/**
 * Transfers of a world's services, traced together over the tables and one by one: all fields of both answers must
 * be equal.
 */
const run = async (argv: readonly string[]): Promise<Figure[]> => {
  const { values } = parseArgs({
    args: [...argv],
    options: { world: { type: 'string' }, people: { type: 'string' }, anchors: { type: 'string' } },
  });
  const seed = parseSeed(values.world);
  const anchors = values.anchors === undefined ? ANCHORS : wholeNumber('anchors', values.anchors);
  const blocks: DecodedBlock[] = [];
  const onBlock = (block: DecodedBlock): void => void blocks.push(block);
  return withWorldTables({ seed, ...parsePeople(values.people), onBlock }, async (tables) => {
    const requests = await chooseAnchors(tables.client, anchors);
    const memory = await readChains(blocks, tables);
    const many = { reader: createTraceReader(tables.client), prices: createPriceReader(tables.client) };
    say(`${requests.length} anchors`);
    const together: string[] = [];
    const togetherSeconds = await secondsOf(async () => {
      for (let at = 0; at < requests.length; at += WAVE) {
        const traced = await traceTogether(requests.slice(at, at + WAVE), { ...many, signal });
        together.push(...traced.map((one) => show('trace' in one ? one.trace : refusal(one.refused))));
        say(`${together.length} traced together`);
      }
    });
    const compare = async (some: readonly TraceRequest[], readersOf: (chain: string) => WorldReaders) => {
      const differing: string[] = [];
      for (const [at, request] of some.entries()) {
        const alone = show(
          await trace(request, { ...readersOf(request.chain.name), signal }).catch(refusalOf),
        );
        if (alone === together[at]) continue;
        differing.push(request.signature);
        if (differing.length <= 3) say(`differs: ${request.signature}\n${alone}\n${together[at]}`);
      }
      return differing.length;
    };
    const inMemory = await compare(requests, memory);
    say(`${inMemory} of ${requests.length} differ from memory`);
    let overTables = 0;
    const some = requests.slice(0, OVER_TABLES);
    const aloneSeconds = await secondsOf(async () => {
      overTables = await compare(some, () => many);
    });
    const refused = together.filter((answer) => answer.startsWith('{"code"')).length;
    const times = aloneSeconds / some.length / (togetherSeconds / requests.length);
    return [
      toFigure({ name: 'retrace.anchors', unit: 'anchors' }, [requests.length]),
      toFigure({ name: 'retrace.refused', unit: 'anchors' }, [refused]),
      toFigure(
        {
          name: 'retrace.differing',
          unit: `of ${requests.length}`,
          subject: 'one by one in memory',
          atMost: 0,
        },
        [inMemory],
      ),
      toFigure(
        {
          name: 'retrace.differing',
          unit: `of ${some.length}`,
          subject: 'one by one over tables',
          atMost: 0,
        },
        [overTables],
      ),
      toFigure({ name: 'retrace.anchors_per_s', unit: 'anchors/s' }, [requests.length / togetherSeconds]),
      toFigure({ name: 'retrace.over_one_by_one', unit: 'times' }, [times]),
    ];
  });
};

/** Equal text for equal answers, whatever the order of fields. */
const show = (answer: unknown): string =>
  JSON.stringify(answer, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });

const refusal = ({ code, field, message }: TraceRefusedError) => ({ code, field, message });

const refusalOf = (error: unknown): unknown => {
  if (error instanceof TraceRefusedError) return refusal(error);
  throw error;
};

/** Memory knows services by address alone, so each chain has its own reader. */
const readChains = async (
  blocks: readonly DecodedBlock[],
  tables: WorldTables,
): Promise<(chain: string) => WorldReaders> => {
  const readers = new Map<string, WorldReaders>();
  for (const [chain, of] of Map.groupBy(blocks, (block) => block.chain))
    readers.set(chain, await readWorld(of, tables, chain));
  return (chain) => {
    const found = readers.get(chain);
    if (found === undefined) throw new Error(`the world has no chain ${chain}`);
    return found;
  };
};

type Row = {
  chain: string;
  direction: Direction;
  wallet: string;
  service: string;
  hash: string;
  time: number;
  asset: string;
  amount: string;
};

/** In random order. For every other one only the transaction is named, as by callers who do not know what moved. */
const chooseAnchors = async (client: WarehouseClient, anchors: number): Promise<TraceRequest[]> => {
  const answer = await client.query({
    query: `SELECT s.chain AS chain, s.direction = 'in' ? 'out' : 'in' AS direction, s.counterparty AS wallet, s.address AS service,
        t.tx_hash AS hash, toUnixTimestamp(s.block_time) AS time,
        s.asset_family AS asset, toString(s.amount) AS amount
      FROM service_entries AS s FINAL
      INNER JOIN (SELECT DISTINCT chain, block_number, tx_index, tx_hash FROM transfers WHERE tx_hash != '') AS t
        ON t.chain = s.chain AND t.block_number = s.block_number AND t.tx_index = s.tx_index
      WHERE s.counterparty != '' AND s.counterparty != s.address AND s.amount > 0
      ORDER BY cityHash64(s.block_number, s.tx_index, s.index, s.direction) LIMIT {anchors:UInt32}`,
    query_params: { anchors },
    format: 'JSONEachRow',
  });
  return (await answer.json<Row>()).flatMap((row, at): TraceRequest[] => {
    const chain = findChain(row.chain);
    if (chain === null) return [];
    const isTold = at % 2 === 0 && row.asset === NATIVE;
    return [
      {
        ...{ chain, wallet: row.wallet, counterparty: row.service, signature: row.hash },
        ...{ direction: row.direction, timeUnixSeconds: row.time, windowSeconds: null },
        ...{ coin: isTold ? toWholeUnits(BigInt(row.amount), chain.native.decimals) : 0, usd: 0 },
        missing: isTold ? [] : ['sol', 'usd'],
      },
    ];
  });
};

export const evaluation: Bench = { name: 'retrace', run };
