import type { ChainSide, Stage, WorldBlock } from './chain-side.ts';
import { createBridge } from './create-bridge.ts';
import { startBridgeUsers, startExchangeUsers, startInstantSwapper } from './cross-chain.ts';
import { createDex, type Dex } from './dex.ts';
import { startDrainers } from './drainer.ts';
import { createExchange } from './exchange.ts';
import { startFates } from './flows/start-fates.ts';
import { startFlows } from './flows/start-flows.ts';
import { startLaunches } from './launch.ts';
import { startLaunchCases } from './launch-cases.ts';
import { createFixedMixer, type FixedMixer } from './mixer/fixed-mixer.ts';
import { startFreeMixer } from './mixer/free-mixer.ts';
import { startMixerUsers } from './mixer/mixer-users.ts';
import { startNoise } from './noise.ts';
import { openSides } from './open-sides.ts';
import { startLives } from './person-life.ts';
import { createSociety, type PopularFunder, type Society } from './persons.ts';
import { createPrices } from './prices.ts';
import { startProfileCases } from './profile-cases.ts';
import { createRandom } from './random.ts';
import { createBatchPayers, createMerchants, createPopularFunders } from './services.ts';
import { createSimulation } from './simulation.ts';
import { startTheftCases } from './theft-cases.ts';
import { startTrails } from './trails/start-trails.ts';
import type { TrailStart } from './trails/trail.ts';
import { createTruthLog, type TruthLine } from './truth.ts';

export type WorldOptions = {
  readonly seed: number;
  /** Persons per chain; everything else grows with them. Default 300. */
  readonly people?: number;
  /** Default 14. */
  readonly days?: number;
  /** Seconds between blocks on both chains. Default 240: few blocks, each with some traffic. */
  readonly blockSeconds?: number;
  /** Adds cases that are easily mistaken. Default false. */
  readonly hardCases?: boolean;
  /** Adds thefts that split and join. Default false. */
  readonly flows?: boolean;
  /** Adds thefts whose money is burnt, frozen, put away, paid back or used up by fees. Default false. */
  readonly fates?: boolean;
};

export type TokenFacts = { readonly symbol: string; readonly decimals: number };

export type Example = {
  readonly chain: string;
  readonly start: string;
  readonly since: number;
  readonly expectedEnd: string;
};

export type World = {
  readonly seed: number;
  readonly startUnixSeconds: number;
  readonly endUnixSeconds: number;
  /** First and last block number of each chain; on Solana some slots are skipped. */
  readonly range: Readonly<Record<string, { first: number; last: number }>>;
  /** Every block of both chains in time order; the truth is complete at the end. Can be run once. */
  readonly blocks: () => Generator<WorldBlock>;
  /** Whether that slot's leader made no block. */
  readonly isSkipped: (chain: string, number: number) => boolean;
  /** An address's balance at the newest generated block, from the world's own books. */
  readonly balance: (chain: string, address: string, asset: string) => bigint;
  /** A token's description of itself, which may be a lie; null for other assets. */
  readonly token: (chain: string, asset: string) => TokenFacts | null;
  /** Starts of example trails. */
  readonly examples: () => readonly Example[];
};

const DEFAULT_PEOPLE = 300;
const DEFAULT_DAYS = 14;
const DEFAULT_BLOCK_SECONDS = 240;
/** 1 September 2025, 00:00 UTC: a fixed past, so that a seed always gives the same world. */
const START_UNIX_SECONDS = 1_756_684_800;
const FIRST_SLOT = 364_000_000;
const FIRST_EVM_BLOCK = 23_265_000;
/** Trails per end reason and chain, at the default size. */
const TRAILS_EACH = 4;
const SKIPPED_SLOTS = 0.03;

type Ticks = { readonly times: readonly number[]; readonly slots: readonly (number | null)[] };

/** The slot of each clock tick, and whether its leader misses it. */
const planTicks = (seed: number, days: number, blockSeconds: number): Ticks => {
  const random = createRandom(seed).fork('skipped slots');
  const count = Math.floor((days * 86_400) / blockSeconds);
  const times = Array.from({ length: count }, (_, at) => START_UNIX_SECONDS + (at + 1) * blockSeconds);
  const slots = times.map((_, at) =>
    at > 0 && at < count - 1 && random.chance(SKIPPED_SLOTS) ? null : FIRST_SLOT + at,
  );
  return { times, slots };
};

type Populated = {
  readonly society: Society;
  readonly dex: Dex;
  readonly mixer: FixedMixer;
  readonly popularFunders: readonly PopularFunder[];
  readonly scale: number;
};

const populate = (stage: Stage, side: ChainSide): Populated => {
  const scale = stage.people / DEFAULT_PEOPLE;
  const atLeastOne = (count: number): number => Math.max(1, Math.round(count * scale));
  const dex = createDex(stage, side);
  const exchanges = [
    createExchange(stage, side, { name: 'Alder', paysForSweeps: true, hotWallets: 4, unknownHotWallets: 1 }),
    createExchange(stage, side, { name: 'Birch', paysForSweeps: false, hotWallets: 3, unknownHotWallets: 0 }),
    createExchange(stage, side, { name: 'Cedar', paysForSweeps: true, hotWallets: 2, unknownHotWallets: 0 }),
  ];
  const popularFunders = createPopularFunders(stage, side, atLeastOne(3), 'gas bot');
  const brokers = createPopularFunders(stage, side, atLeastOne(20), 'broker');
  const society = createSociety({ stage, side, exchanges, popularFunders });
  const merchants = createMerchants(stage, side, exchanges, atLeastOne(12));
  createBatchPayers(stage, society, atLeastOne(3));
  startLives({ stage, society, dex, merchants });
  const mixer = createFixedMixer(stage, side);
  const ties = { stage, society, brokers, popularFunders, scale };
  startMixerUsers({ ...ties, mixer });
  startFreeMixer(ties);
  startLaunches({ stage, society, popularFunders, count: atLeastOne(3) });
  startDrainers({ stage, society, count: 2, victims: atLeastOne(25) });
  startNoise({ stage, society, dex, scale });
  return { society, dex, mixer, popularFunders, scale };
};

const connect = (stage: Stage, sides: readonly Populated[], hardCases: boolean): TrailStart[] => {
  const societies = sides.map(({ society }) => society);
  const bridge = createBridge(
    stage,
    societies.map(({ side }) => side),
  );
  const scale = sides[0]?.scale ?? 1;
  const options = { stage, societies, bridge, scale };
  startBridgeUsers(options);
  startInstantSwapper(options);
  startExchangeUsers(options);
  if (hardCases) {
    startTheftCases(stage, sides);
    startLaunchCases(stage, sides);
    startProfileCases(stage, societies);
  }
  return sides.flatMap(({ society, dex, mixer, popularFunders }) => {
    const far = societies.find((each) => each !== society)?.side ?? society.side;
    const each = Math.max(1, Math.round(TRAILS_EACH * scale));
    return startTrails({ stage, society, far, dex, mixer, bridge, popularFunders, each });
  });
};

/** Trails that begin early and end soon: one on Solana, two on Ethereum. */
const chooseExamples = (trails: readonly TrailStart[]): Example[] =>
  [
    ['solana', 'at_rest'],
    ['ethereum', 'loop'],
    ['ethereum', 'split'],
  ].flatMap(([chain, reason]) => {
    const found = trails.find((trail) => trail.chain === chain && trail.reason === reason);
    if (found === undefined) return [];
    return [{ chain: found.chain, start: found.start, since: found.since, expectedEnd: found.reason }];
  });

export const createWorld = (
  options: WorldOptions,
  truthSink: (line: TruthLine) => void = () => {},
): World => {
  const {
    seed,
    people = DEFAULT_PEOPLE,
    days = DEFAULT_DAYS,
    blockSeconds = DEFAULT_BLOCK_SECONDS,
    hardCases = false,
    flows = false,
    fates = false,
  } = options;
  const ticks = planTicks(seed, days, blockSeconds);
  const end = ticks.times.at(-1) ?? START_UNIX_SECONDS;
  const random = createRandom(seed);
  const assets = new Map<string, TokenFacts>();
  const truth = createTruthLog((line) => {
    if (line.type === 'asset') assets.set(`${line.chain} ${line.asset}`, line);
    truthSink(line);
  });
  const stage: Stage = {
    random,
    simulation: createSimulation(START_UNIX_SECONDS, end),
    prices: createPrices(random, START_UNIX_SECONDS, days),
    truth,
    startUnixSeconds: START_UNIX_SECONDS,
    days,
    people,
  };
  truth.line({ type: 'world', seed, people, days, start: START_UNIX_SECONDS, end });
  const { solana, ethereum } = openSides(stage, seed);
  const sides = [populate(stage, solana), populate(stage, ethereum)];
  const trails = connect(stage, sides, hardCases);
  const societies = sides.map(({ society }) => society);
  if (flows) startFlows(stage, societies);
  if (fates) startFates(stage, societies);
  const lastTick = ticks.times.length - 1;

  /** Events of a skipped slot go into the next block. */
  const openSolana = (from: number): void => {
    let at = from;
    while (at < lastTick && (ticks.slots[at] ?? null) === null) at++;
    solana.writer.open(FIRST_SLOT + at, ticks.times[at] ?? end);
  };

  function* blocks(): Generator<WorldBlock> {
    openSolana(0);
    for (const [at, time] of ticks.times.entries()) {
      ethereum.writer.open(FIRST_EVM_BLOCK + at, time);
      stage.simulation.runUntil(time);
      if ((ticks.slots[at] ?? null) !== null) {
        yield solana.writer.seal();
        if (at < lastTick) openSolana(at + 1);
      }
      const sealed = ethereum.writer.seal();
      // With the last block, so that a reader of every block need not ask for another.
      if (at === lastTick) truth.finish();
      yield sealed;
    }
  }

  return {
    seed,
    startUnixSeconds: START_UNIX_SECONDS,
    endUnixSeconds: end,
    range: {
      solana: { first: FIRST_SLOT, last: FIRST_SLOT + lastTick },
      ethereum: { first: FIRST_EVM_BLOCK, last: FIRST_EVM_BLOCK + lastTick },
    },
    blocks,
    isSkipped: (chain, number) => chain === 'solana' && ticks.slots[number - FIRST_SLOT] === null,
    balance: (chain, address, asset) =>
      (chain === 'solana' ? solana : ethereum).writer.balance(address, asset),
    token: (chain, asset) => assets.get(`${chain} ${asset}`) ?? null,
    examples: () => chooseExamples(trails),
  };
};
