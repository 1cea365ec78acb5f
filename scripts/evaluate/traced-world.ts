import type { Anchor, TruthLine } from '../../services/demo-world/truth.ts';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import { knownDecimals } from '../../services/investigate/model/asset.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import type { Label } from '../../services/investigate/model/label.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import type { PriceReader } from '../../services/investigate/model/price-reader.ts';
import type { Direction, Service, TraceReader } from '../../services/investigate/model/trace-reader.ts';
import { type TraceOptions, trace } from '../../services/investigate/trace/trace.ts';
import {
  type Trace,
  TraceRefusedError,
  type TraceRequest,
} from '../../services/investigate/trace/trace-answer.ts';
import { createMemoryTraceReader } from '../../services/testing/memory/memory-trace-reader.ts';
import { createPriceReader } from '../../services/warehouse/read/assets/price.ts';
import type { WorldTables } from './world-tables.ts';

export type WorldReaders = { readonly reader: TraceReader; readonly prices: PriceReader };

/**
 * Transfers in memory, with derived facts as the tables have them. A contract test holds both readers to the same
 * answers; memory traces thousands in seconds.
 */
export const readWorld = async (
  blocks: readonly DecodedBlock[],
  { client, publicLabels }: WorldTables,
  /** Default: all. */
  chain = '',
): Promise<WorldReaders> => {
  const answer = await client.query({
    query: `SELECT address, entity, kind FROM service_wallets FINAL
      WHERE {chain:String} IN ('', chain) ORDER BY sequence`,
    query_params: { chain },
    format: 'JSONEachRow',
  });
  const wallets = await answer.json<Service & { address: string }>();
  const services = new Map(wallets.map(({ address, entity, kind }) => [address, { entity, kind }]));
  const labels = new Map<string, Label>(
    publicLabels.map(({ address, name, kind }) => [address, { name, kind }]),
  );
  // Derived, as on no list.
  for (const { address, entity, kind } of wallets)
    if (!labels.has(address)) labels.set(address, { name: `${entity} deposit`, kind: kind as Label['kind'] });
  return { reader: createMemoryTraceReader(blocks, { services, labels }), prices: createPriceReader(client) };
};

/** One side of a true link, without the other. */
export type Question = { readonly anchor: Anchor; readonly direction: Direction };

type Link = Extract<TruthLine, { type: 'mixer_link' | 'exchange_link' }>;

export const isLink = (line: TruthLine): line is Link =>
  line.type === 'mixer_link' || line.type === 'exchange_link';

export const questionKey = ({ anchor, direction }: Question): string =>
  `${anchor.chain} ${anchor.tx} ${anchor.wallet} ${direction}`;

/** The transfers to trace, each once. */
export const readQuestions = (truth: readonly TruthLine[], direction: Direction): Question[] => {
  const links = truth.filter(isLink);
  const questions = links.map(
    ({ deposit, withdrawal }): Question => ({
      anchor: direction === 'out' ? deposit : withdrawal,
      direction,
    }),
  );
  return [...new Map(questions.map((question) => [questionKey(question), question])).values()];
};

const chainOf = (name: string): Chain => {
  const chain = findChain(name);
  if (chain === null) throw new Error(`chain ${name} is not known`);
  return chain;
};

/** The request of somebody who saw the transfer in an explorer. */
export const toTraceRequest = async (
  { anchor, direction }: Question,
  reader: TraceReader,
  windowSeconds: number | null,
): Promise<TraceRequest> => {
  const chain = chainOf(anchor.chain);
  const signal = AbortSignal.timeout(60_000);
  const asked = { chain: chain.name, limit: 1_000 };
  const [read] = await reader.transaction(asked, [anchor.tx], { signal, timeoutMs: 60_000 });
  const row = read?.rows.find(({ from, to }) => (direction === 'out' ? from : to) === anchor.wallet);
  if (row === undefined) throw new Error(`${anchor.tx} has no transfer of ${anchor.wallet}`);
  const amount = toWholeUnits(row.amountRaw, knownDecimals(chain, row.canonicalAsset));
  return {
    chain,
    wallet: anchor.wallet,
    counterparty: direction === 'out' ? row.to : row.from,
    signature: anchor.tx,
    direction,
    timeUnixSeconds: anchor.time,
    coin: row.canonicalAsset === NATIVE ? amount : 0,
    usd: row.canonicalAsset === NATIVE ? 0 : amount,
    windowSeconds,
    missing: [],
  };
};

export type Answered = {
  readonly question: Question;
  readonly request: TraceRequest;
  readonly answer: Trace;
};

const signal = new AbortController().signal;

/** One question; null if it is refused. All candidates are returned for grading. */
export const answerQuestion = async (
  question: Question,
  { reader, prices }: WorldReaders,
  { windowSeconds, ...options }: TraceOptions & { readonly windowSeconds: number | null },
): Promise<Answered | null> => {
  const request = await toTraceRequest(question, reader, windowSeconds);
  try {
    const all = { candidatesMax: Number.POSITIVE_INFINITY, ...options };
    return { question, request, answer: await trace(request, { reader, prices, signal }, all) };
  } catch (error) {
    if (error instanceof TraceRefusedError) return null;
    throw error;
  }
};

/** The owner of each wallet; read after the answers. */
export const readOwners = (
  truth: readonly TruthLine[],
): ((chain: string, address: string) => string | null) => {
  const owners = new Map<string, string>();
  for (const line of truth) {
    if (line.type !== 'owner') continue;
    for (const { chain, address } of line.wallets) owners.set(`${chain} ${address}`, line.owner);
  }
  return (chain, address) => owners.get(`${chain} ${address}`) ?? null;
};
