import type { Neighbour, NeighboursRequest, TraceReader, WalletSide } from '../model/trace-reader.ts';
import { POPULAR_ABOVE } from './rules.ts';

/** Of so many acquaintances a side all that is asked at once is joined; lists that are longer are asked for alone. */
const JOINED_UP_TO = POPULAR_ABOVE + 1;
/** More sides take two questions side by side, one a core where there are two: an engine answers one on one core. */
const SIDES_ALONE = 64;

type Asking = {
  readonly request: NeighboursRequest;
  readonly resolve: (answer: Promise<readonly Neighbour[]>) => void;
};

/**
 * A reader for one trace that puts into one question who is around all wallets it is asked about at once: planning a question
 * costs as much as reading some twenty wallets. Chain, assets and limits are those of the trace, the same in all of them.
 */
export const joinNeighbours = (reader: TraceReader): TraceReader => {
  let waiting: Asking[] = [];
  const askAll = (): void => {
    const asking = waiting;
    waiting = [];
    const found = askJoined(
      reader,
      asking.map(({ request }) => request),
    );
    for (const { request, resolve } of asking) resolve(found.then((sides) => pick(sides, request)));
  };
  return {
    ...reader,
    neighbours: (request) => {
      if (request.perSideMax > JOINED_UP_TO) return reader.neighbours(request);
      // Whoever asks in this turn is waited for.
      if (waiting.length === 0) queueMicrotask(askAll);
      return new Promise((resolve) => waiting.push({ request, resolve }));
    },
  };
};

type Found = ReadonlyMap<string, readonly Neighbour[]>;

const askJoined = async (reader: TraceReader, requests: readonly NeighboursRequest[]): Promise<Found> => {
  const [first] = requests;
  if (first === undefined) return new Map();
  const asked = new Map(requests.flatMap(({ sides }) => sides.map((side) => [keyOf(side), side])));
  const perSideMax = Math.max(...requests.map((request) => request.perSideMax));
  const answers = await Promise.all(
    halve([...asked.values()]).map((sides) => reader.neighbours({ ...first, sides, perSideMax })),
  );
  return Map.groupBy(answers.flat(), keyOf);
};

const halve = (sides: readonly WalletSide[]): (readonly WalletSide[])[] => {
  const half = Math.ceil(sides.length / 2);
  return sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
};

const pick = (found: Found, { sides, perSideMax }: NeighboursRequest): Neighbour[] =>
  sides.flatMap((side) => found.get(keyOf(side))?.slice(0, perSideMax) ?? []);

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
