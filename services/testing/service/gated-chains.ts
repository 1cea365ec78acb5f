import { onTestFinished } from 'vitest';
import { createWorld } from '../../demo-world/create-world.ts';
import type { Disturbance, DisturbedRequest } from '../../demo-world/rpc/disturb.ts';
import { serveWorld } from '../../demo-world/rpc/serve-world.ts';

/** The same blocks each time: tables made of them can be compared. */
export const WORLD = { seed: 5, people: 12, days: 1, blockSeconds: 1_200 };
const RANGES = createWorld(WORLD).range;
const NUMBERS: ReadonlyMap<string, number> = new Map(
  [...createWorld(WORLD).blocks()].flatMap((block) =>
    block.family === 'evm' ? [[block.block.hash, block.number]] : [],
  ),
);

/** The last block of each chain. */
export const CHAIN_ENDS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(RANGES).map(([chain, { last }]) => [chain, last]),
);

export type GatedChains = {
  /** What programs are told to follow them. */
  readonly env: { readonly SPOOR_CHAINS: string };
  /** How nodes answer from now on who asks for the second half of a chain; limiting the rate at first. */
  answer(disturbance: Disturbance): void;
  /** The second half of each chain is given out from now on. */
  open(): void;
};

const isInSecondHalf = ({ path, body }: DisturbedRequest): boolean => {
  const { first, last } = RANGES[path.slice(1)] ?? { first: 0, last: 0 };
  const calls = [JSON.parse(body)].flat() as { params?: unknown[] }[];
  return calls.some(({ params }) => numberOf(params?.[0]) > (first + last) / 2);
};

/** Traces are asked for by the block's hash, which is a number as well. */
const numberOf = (at: unknown): number => NUMBERS.get(String(at)) ?? Number(at);

/** Two small chains on nodes of 127.0.0.1, of which only the first half can be had until they are opened. */
export const startGatedChains = async ({ isOpen = false } = {}): Promise<GatedChains> => {
  let gate: Disturbance | null = isOpen ? null : 'rate_limited';
  const served = await serveWorld(createWorld(WORLD), {
    disturb: (request) => (gate && isInSecondHalf(request) ? gate : null),
  });
  onTestFinished(served.close);
  const chains = Object.entries(RANGES).map(([chain, { first }]) => [
    chain,
    {
      urls: [`${served.url}/${chain}`],
      commitment: 'finalized',
      start: first,
      // These nodes tell nobody of new slots.
      ...(chain === 'solana' ? { websocket: null } : {}),
    },
  ]);
  return {
    env: { SPOOR_CHAINS: JSON.stringify(Object.fromEntries(chains)) },
    answer: (disturbance) => {
      gate = disturbance;
    },
    open: () => {
      gate = null;
    },
  };
};
