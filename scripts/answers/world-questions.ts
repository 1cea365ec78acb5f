import type { TruthLine } from '../../services/demo-world/truth.ts';
import { worldBlocks } from '../../services/demo-world/world-blocks.ts';
import { toWholeUnits } from '../../services/investigate/model/amount.ts';
import { toCanonicalAsset } from '../../services/investigate/model/asset.ts';
import type { DecodedBlock } from '../../services/investigate/model/block.ts';
import { type Chain, findChain } from '../../services/investigate/model/chain.ts';
import { NATIVE } from '../../services/investigate/model/movement.ts';
import { WINDOW_MAX_SECONDS } from '../../services/investigate/trace/rules.ts';
import type { TraceRequest } from '../../services/investigate/trace/trace-answer.ts';
import {
  type Asked,
  askFlow,
  askInsiders,
  askProfile,
  askTrace,
  askTraces,
  askTrail,
  askVictims,
  type Subject,
} from './questions.ts';
import { type Known, knownOf } from './readers.ts';

const TRACES = 300;
const TRACES_TOGETHER = 64;
const WALLETS = 150;

export type AskedWorld = {
  readonly blocks: readonly DecodedBlock[];
  readonly known: Known;
  readonly questions: readonly Asked[];
};

export const readAskedWorld = (seed: number, people: number): AskedWorld => {
  const truth: TruthLine[] = [];
  const world = { seed, people, days: 7, flows: true };
  const blocks = [...worldBlocks(world, (line) => truth.push(line))];
  return { blocks, known: knownOf(truth), questions: questionsOf(truth, blocks) };
};

/** Of every kind about a generated world; the truth only says about whom. */
export const questionsOf = (truth: readonly TruthLine[], blocks: readonly DecodedBlock[]): Asked[] => {
  const traces = takeEvenly(toTraces(truth, blocks), TRACES);
  const waves = Array.from({ length: Math.ceil(traces.length / TRACES_TOGETHER) }, (_, at) =>
    traces.slice(at * TRACES_TOGETHER, (at + 1) * TRACES_TOGETHER),
  );
  const wallets = takeEvenly(walletsOf(truth), WALLETS);
  const named = uniqueSubjects(truth.filter((line) => line.type === 'label').map(toSubject));
  const drainers = truth.filter((line) => line.type === 'drainer').map(toSubject);
  const tokens = truth.filter((line) => line.type === 'launch' || line.type === 'asset');
  const all = [
    ...truth.flatMap(toTrails),
    ...truth.flatMap(toFlows),
    ...wallets.flatMap((subject) => [
      askTrail('on', subject),
      askTrail('back', { ...subject, backward: true }),
    ]),
    ...traces.map(askTrace),
    ...waves.map((wave, at) => askTraces(`wave ${at}`, wave)),
    ...uniqueSubjects([...wallets, ...named, ...drainers]).map(askProfile),
    ...uniqueSubjects([...drainers, ...wallets]).map(askVictims),
    ...uniqueSubjects(
      tokens.map((line) => ({
        chain: chainOf(line.chain),
        address: line.type === 'launch' ? line.token : line.asset,
      })),
    ).map(askInsiders),
  ];
  return [...new Map(all.map((asked) => [asked.name, asked])).values()];
};

const chainOf = (name: string): Chain => {
  const chain = findChain(name);
  if (chain === null) throw new Error(`chain ${name} is not known`);
  return chain;
};

const toSubject = ({ chain, address }: { chain: string; address: string }): Subject => ({
  chain: chainOf(chain),
  address,
});

const uniqueSubjects = (subjects: readonly Subject[]): Subject[] => [
  ...new Map(subjects.map((subject) => [`${subject.chain.name} ${subject.address}`, subject])).values(),
];

/** So many of them, from all parts of the list. */
export const takeEvenly = <T>(all: readonly T[], count: number): T[] => {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, at) => all[Math.floor(at * step)] as T);
};

const walletsOf = (truth: readonly TruthLine[]): Subject[] =>
  uniqueSubjects(truth.flatMap((line) => (line.type === 'owner' ? line.wallets.map(toSubject) : [])));

/** A theft, with and without what a victim knows, backward from its end, and with a wallet that cannot be read. */
const toTrails = (line: TruthLine): Asked[] => {
  if (line.type !== 'trail') return [];
  const chain = chainOf(line.chain);
  const canonicalAsset = toCanonicalAsset(chain, line.asset);
  const told = { chain, address: line.start, canonicalAsset, atUnixSeconds: line.since };
  const [next] = line.hops;
  const unread = next === undefined ? [] : [next];
  return [
    askTrail('told', told),
    askTrail('short', { ...told, maxHops: 2 }),
    askTrail('unnamed', { ...told, canonicalAsset: null }),
    askTrail('from the end', { chain, address: line.end.address, backward: true }),
    askTrail('of some', { ...told, amount: 1 }),
    ...unread.flatMap((wallet) => [
      askTrail('unread', told, { wallet, code: 'unavailable' }),
      askTrail('slow', told, { wallet, code: 'timeout' }),
      askFlow(
        'slow',
        { chain, canonicalAsset, starts: [startOf(line.start, line.since)] },
        { wallet, code: 'timeout' },
      ),
    ]),
    askFlow('of a trail', { chain, canonicalAsset, starts: [startOf(line.start, line.since)] }),
  ];
};

const startOf = (start: string, atUnixSeconds: number) => ({
  ...{ start, atUnixSeconds, amount: null, counterparty: null },
});

/** A theft that splits and joins: all starts together, each start alone, and with little to spend. */
const toFlows = (line: TruthLine): Asked[] => {
  if (line.type !== 'flow') return [];
  const chain = chainOf(line.chain);
  const canonicalAsset = toCanonicalAsset(chain, line.asset);
  const starts = line.starts.map(({ address, since }) => startOf(address, since));
  const all = { chain, canonicalAsset, starts };
  const wallets = [...new Set(line.edges.map(({ to }) => to))];
  return [
    askFlow('all', all),
    askFlow('few calls', { ...all, budget: { calls: 5, seconds: 85 } }),
    askFlow('likely', { ...all, minProbability: 0.5, maxHops: 4 }),
    askFlow('unnamed', { ...all, canonicalAsset: null }),
    ...starts.map((start) => askFlow('one start', { ...all, starts: [start] })),
    ...takeEvenly(wallets, 5).flatMap((wallet) => [
      askFlow(`unread ${wallet}`, all, { wallet, code: 'unavailable' }),
      askFlow(`slow ${wallet}`, all, { wallet, code: 'timeout' }),
      askTrail('in a flow', { chain, address: wallet, canonicalAsset }),
    ]),
  ];
};

type Link = Extract<TruthLine, { type: 'mixer_link' | 'exchange_link' }>;

const isLink = (line: TruthLine): line is Link => line.type === 'mixer_link' || line.type === 'exchange_link';

/** Both sides of every link, every other one with nothing but the transaction. */
const toTraces = (truth: readonly TruthLine[], blocks: readonly DecodedBlock[]): TraceRequest[] => {
  const places = new Map(
    blocks.flatMap((block) =>
      block.transactions.map(({ hash, txIndex }) => [hash, { block, txIndex }] as const),
    ),
  );
  const anchors = truth.filter(isLink).flatMap(({ deposit, withdrawal }) => [
    { ...deposit, direction: 'out' as const },
    { ...withdrawal, direction: 'in' as const },
  ]);
  return anchors.flatMap(({ chain: name, tx, wallet, time, direction }, at): TraceRequest[] => {
    const place = places.get(tx);
    const row = place?.block.movements.find(
      ({ txIndex, from, to, kind }) =>
        kind === 'transfer' && txIndex === place.txIndex && (direction === 'out' ? from : to) === wallet,
    );
    const counterparty = direction === 'out' ? row?.to : row?.from;
    if (row === undefined || counterparty === null || counterparty === undefined) return [];
    const chain = chainOf(name);
    const isTold = at % 2 === 0 && row.asset === NATIVE;
    return [
      {
        ...{ chain, wallet, counterparty, signature: tx, direction, timeUnixSeconds: time },
        coin: isTold ? toWholeUnits(row.amountRaw, chain.native.decimals) : 0,
        ...{ usd: 0, windowSeconds: at % 3 === 0 ? null : WINDOW_MAX_SECONDS },
        missing: isTold ? [] : ['sol', 'usd'],
      },
    ];
  });
};
