import type { TruthLine } from '../../services/demo-world/truth.ts';
import { analyze } from '../../services/investigate/analyze/analyze.ts';
import { follow } from '../../services/investigate/follow/follow.ts';
import type { FlowGraph } from '../../services/investigate/follow/graph/flow-graph.ts';
import { followGraph } from '../../services/investigate/follow/graph/follow-graph.ts';
import {
  FLOW_CALLS_DEFAULT,
  HOPS_DEFAULT,
  MIN_PROBABILITY_DEFAULT,
} from '../../services/investigate/follow/rules.ts';
import { branchesOf, type Trail } from '../../services/investigate/follow/trail.ts';
import type { Address } from '../../services/investigate/model/address.ts';
import { sumOf } from '../../services/investigate/model/amount.ts';
import { type CanonicalAsset, toCanonicalAsset } from '../../services/investigate/model/asset.ts';
import { NO_BACKFILLS } from '../../services/investigate/model/backfills.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import { isService } from '../../services/investigate/model/label.ts';
import { trace } from '../../services/investigate/trace/trace.ts';
import { TraceRefusedError } from '../../services/investigate/trace/trace-answer.ts';
import { findTransaction } from '../../services/investigate/transaction/find-transaction.ts';
import { findVictims } from '../../services/investigate/victims/find-victims.ts';
import { VICTIMS_MAX } from '../../services/investigate/victims/rules.ts';
import type { Readers } from '../answers/readers.ts';
import { takeEvenly } from '../answers/world-questions.ts';
import type { LabelSaid, LossSaid, PaymentSaid, Said } from './compare-routes.ts';

const { signal } = new AbortController();
/** Time stands still, so that no budget ends. */
const clock = { nowUnixMs: () => 0 };

type Asked = { readonly chain: Chain; readonly readers: Readers };
type Begin = {
  readonly start: Address;
  readonly canonicalAsset: CanonicalAsset | null;
  readonly atUnixSeconds: number;
};

/** All routes about the wallets of every theft of a chain: whoever lost to a drainer, and where other thefts begin. */
export const askRoutes = async (
  name: string,
  truth: readonly TruthLine[],
  readers: Readers,
  /** `most`: of losses, and of other thefts, taken evenly. `tell`: how far it is, in one line. */
  {
    most = Number.POSITIVE_INFINITY,
    tell = () => {},
  }: { readonly most?: number; readonly tell?: (line: string) => void } = {},
): Promise<Said> => {
  const inTurn = <T, U>(what: string, all: readonly T[], ask: (one: T) => Promise<U>): Promise<U[]> =>
    askInTurn(all, ask, (done) => tell(`${name}: ${what}: ${done} of ${all.length}`));
  const chain = findChain(name);
  if (chain === null) throw new Error(`${name}: no such chain`);
  const asked = { chain, readers };
  const lines = truth.filter((line) => 'chain' in line && line.chain === name);
  const drainers = lines.flatMap((line) => (line.type === 'drainer' ? [line.address] : []));
  const lost = await inTurn('victims of drainers', drainers, (address) => askVictims(address, asked));
  const losses = takeEvenly(
    lost.flatMap((each) => each.losses),
    most,
  );
  const thefts = takeEvenly(
    lines.flatMap((line) => beginsOfTheft(line, chain)),
    most,
  );
  const begins = [...losses.map(beginOfLoss), ...thefts];
  const unique = [...new Map(begins.map((begin) => [Object.values(begin).join(' '), begin])).values()];
  const followed = await inTurn('trails and graphs', unique, (begin) => askTrails(begin, asked));
  const trails = followed.flatMap((each) => each.payments);
  const signatures = new Set([...losses, ...trails].map(({ signature }) => signature));
  const told = await inTurn('transactions', [...signatures], (hash) => askTransaction(hash, asked));
  const wallets = new Set([...drainers, ...unique.map(({ start }) => start)]);
  const profiles = await inTurn('profiles', [...wallets], (address) => askProfile(address, asked));
  const traced = await inTurn('traces', intoServices(followed), (payment) => askTrace(payment, asked));
  const labels = [...lost, ...followed, ...told].flatMap((each) => each.labels);
  return {
    losses: losses.map(({ timeUnixSeconds: _, ...loss }) => loss),
    payments: [...trails, ...told.flatMap(({ payments }) => payments), ...traced.flat()],
    labels: [...labels, ...profiles.flat()],
  };
};

const TOLD_EVERY = 25;

const askInTurn = async <T, U>(
  all: readonly T[],
  ask: (one: T) => Promise<U>,
  tell: (done: number) => void,
): Promise<U[]> => {
  const answers: U[] = [];
  for (const one of all) {
    const done = answers.push(await ask(one));
    if (done % TOLD_EVERY === 0 || done === all.length) tell(done);
  }
  return answers;
};

type Loss = LossSaid & { readonly timeUnixSeconds: number };
const beginOfLoss = ({ victim, canonicalAsset, timeUnixSeconds }: Loss): Begin => ({
  ...{ start: victim, canonicalAsset, atUnixSeconds: timeUnixSeconds },
});

const beginsOfTheft = (line: TruthLine, chain: Chain): Begin[] => {
  if (line.type === 'trail')
    return [
      {
        start: line.start,
        canonicalAsset: toCanonicalAsset(chain, line.asset),
        atUnixSeconds: line.since,
      },
    ];
  if (line.type !== 'flow') return [];
  const canonicalAsset = toCanonicalAsset(chain, line.asset);
  return line.starts.map(({ address: start, since }) => ({ start, canonicalAsset, atUnixSeconds: since }));
};

const askVictims = async (
  address: Address,
  { chain, readers }: Asked,
): Promise<{ readonly losses: readonly Loss[]; readonly labels: readonly LabelSaid[] }> => {
  const { transfers: reader, control: controls, ...others } = readers;
  const time = { fromUnixSeconds: 0, toUnixSeconds: 4_294_967_295 };
  const report = await findVictims(
    { chain, address, ...time, limit: VICTIMS_MAX },
    { ...others, reader, controls, clock, signal },
  );
  const victims = [...report.victims, ...report.refunded];
  return {
    losses: victims.flatMap(({ address: victim, losses }) =>
      losses.map(({ signature, asset, method, timeUnixSeconds }) => ({
        ...{ victim, signature, method, timeUnixSeconds, canonicalAsset: asset.canonicalAsset },
      })),
    ),
    labels: [report, ...victims, ...report.affiliates].map((each) => ({
      route: 'victims',
      address: 'request' in each ? address : each.address,
      kind: each.label?.kind ?? null,
    })),
  };
};

type Told = Pick<Said, 'payments' | 'labels'>;

const askTrails = async ({ start, canonicalAsset, atUnixSeconds }: Begin, { chain, readers }: Asked) => {
  const { transfers: reader, prices, assets } = readers;
  const dependencies = { reader, prices, assets, backfills: NO_BACKFILLS, clock, signal };
  const begin = { start, atUnixSeconds, amount: null, counterparty: null };
  const alone = { chain, ...begin, tracedRaw: null, backward: false, maxHops: HOPS_DEFAULT };
  const [named, unnamed] = [
    await follow({ ...alone, canonicalAsset }, dependencies),
    await follow({ ...alone, canonicalAsset: null }, dependencies),
  ];
  const graph = await followGraph(
    {
      ...{ chain, canonicalAsset, starts: [begin], maxHops: HOPS_DEFAULT, minUsd: 0 },
      ...{ budget: { calls: FLOW_CALLS_DEFAULT, seconds: 85 }, minProbability: MIN_PROBABILITY_DEFAULT },
    },
    dependencies,
  );
  const told = [ofTrail(named, 'follow'), ofTrail(unnamed, 'unnamed'), ofGraph(graph)];
  return {
    payments: told.flatMap(({ payments }) => payments),
    labels: told.flatMap(({ labels }) => labels),
  };
};

/** What counts as the money: hops, what left beside them, and where it split or was swapped. */
const ofTrail = ({ hops, end, asset }: Trail, route: 'follow' | 'unnamed'): Told => {
  const { canonicalAsset } = asset;
  const besides = [...hops.flatMap(({ others }) => others), ...branchesOf(end)];
  const lumped = { canonicalAsset, amountRaw: null, timeUnixSeconds: null };
  return {
    payments: [
      ...hops.flatMap(({ from, to, transactions }) =>
        transactions.map((each) => ({ route, from, to, canonicalAsset, ...each })),
      ),
      ...besides.map(({ from, to, signature }) => ({ route, from, to, signature, ...lumped })),
      ...(end.reason === 'dex_swap'
        ? [{ route, from: end.address, to: '', signature: end.signature, ...lumped }]
        : []),
    ],
    labels: [...hops, ...besides].map(({ to, toLabel }) => ({
      ...{ route, address: to, kind: toLabel?.kind ?? null },
    })),
  };
};

const ofGraph = ({ edges, nodes, asset }: FlowGraph): Told => ({
  payments: edges.flatMap(({ from, to, transactions }) =>
    transactions.map((each) => ({
      ...{ route: 'graph' as const, from, to, canonicalAsset: asset.canonicalAsset, ...each },
    })),
  ),
  labels: nodes.map(({ address, label }) => ({ route: 'graph', address, kind: label?.kind ?? null })),
});

/** What each party paid another of each asset, summed. */
const askTransaction = async (hash: string, { chain, readers }: Asked): Promise<Told> => {
  const { trace: reader, prices, assets } = readers;
  const found = await findTransaction({ chains: [chain], hash }, { reader, prices, assets, clock, signal });
  const byParties = Map.groupBy(found.rows, ({ from, to, canonicalAsset }) =>
    [from, to, canonicalAsset].join(' '),
  );
  return {
    payments: [...byParties.values()].flatMap((rows) =>
      rows.slice(0, 1).map(({ from, to, canonicalAsset, blockTime }) => ({
        ...{ route: 'tx' as const, signature: hash, from, to, canonicalAsset, timeUnixSeconds: blockTime },
        amountRaw: sumOf(rows),
      })),
    ),
    labels: [...new Set(found.rows.flatMap(({ from, to }) => [from, to]))].map((address) => ({
      ...{ route: 'tx', address, kind: found.labels.get(address)?.kind ?? null },
    })),
  };
};

/** The kinds that its labels give the wallet itself and those it dealt with. */
const askProfile = async (address: Address, { chain, readers }: Asked): Promise<readonly LabelSaid[]> => {
  const { profile: reader, control, tokens, prices, assets } = readers;
  const profile = await analyze(
    { chain, address },
    { reader, control, tokens, prices, assets, clock, signal, backfills: NO_BACKFILLS, budgetMs: 600_000 },
  );
  return profile.connections.map((connection) => ({
    ...{ route: 'analyze', address: connection.address, kind: connection.label?.kind ?? null },
  }));
};

/** Payments into services, which /trace takes as they stand. */
const intoServices = (followed: readonly Told[]): PaymentSaid[] => {
  const all = followed.flatMap(({ payments, labels }) => {
    const kinds = new Map(labels.map(({ address, kind }) => [address, kind]));
    return payments.filter(({ to, route, amountRaw }) => {
      const kind = kinds.get(to) ?? null;
      return route === 'follow' && amountRaw !== null && kind !== null && isService({ name: '', kind });
    });
  });
  return [...new Map(all.map((payment) => [`${payment.signature} ${payment.from}`, payment])).values()];
};

const askTrace = async (
  { from, to, signature, timeUnixSeconds }: PaymentSaid,
  { chain, readers: { trace: reader, prices } }: Asked,
): Promise<readonly PaymentSaid[]> => {
  const missing = ['time', 'sol', 'usd'] as const;
  const request = {
    ...{ chain, wallet: from, counterparty: to, signature, direction: 'out' as const, missing },
    ...{ timeUnixSeconds: timeUnixSeconds ?? 0, coin: 0, usd: 0, windowSeconds: null },
  };
  try {
    const { anchor } = await trace(request, { reader, prices, signal });
    return anchor.moved.map(({ canonicalAsset, amountRaw }) => ({
      ...{ route: 'trace', signature, from, to, canonicalAsset, amountRaw },
      timeUnixSeconds: anchor.timeUnixSeconds,
    }));
  } catch (error) {
    // A bridge cannot be traced through, and other assets than the coin and stablecoins neither.
    if (error instanceof TraceRefusedError) return [];
    throw error;
  }
};
