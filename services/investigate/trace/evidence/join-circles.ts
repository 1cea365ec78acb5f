import type { Circle, CirclesRequest, TraceReader, WalletSide } from '../../model/trace-reader.ts';

/** Two queries run in parallel for larger lists, because the engine uses one core for each. */
const SIDES_ALONE = 64;

type WaitingRequest = {
  readonly request: CirclesRequest;
  readonly resolve: (answer: Promise<readonly Circle[]>) => void;
};

/**
 * A reader for one trace that joins all its counterparty queries into one: planning a query costs as much as
 * reading some twenty wallets. Chain, assets, limits and the size limit are the same for all of them.
 */
export const joinCircles = (reader: TraceReader): TraceReader => {
  let waiting: WaitingRequest[] = [];
  const askAll = (): void => {
    const asking = waiting;
    waiting = [];
    const found = askJoined(
      reader,
      asking.map(({ request }) => request),
    );
    for (const { request, resolve } of asking) resolve(found.then((circles) => pick(circles, request)));
  };
  return {
    ...reader,
    circles: (request) => {
      // Collects all requests of this turn of the event loop.
      if (waiting.length === 0) queueMicrotask(askAll);
      return new Promise((resolve) => waiting.push({ request, resolve }));
    },
  };
};

type CirclesByKey = ReadonlyMap<string, Circle>;

const askJoined = async (reader: TraceReader, requests: readonly CirclesRequest[]): Promise<CirclesByKey> => {
  const [first] = requests;
  if (first === undefined) return new Map();
  const asked = new Map(requests.flatMap(({ sides }) => sides.map((side) => [keyOf(side), side])));
  const among = [...new Set(requests.flatMap((request) => request.among))];
  const answers = await Promise.all(
    halve([...asked.values()]).map((sides) => reader.circles({ ...first, sides, among })),
  );
  return new Map(answers.flat().map((circle) => [keyOf(circle), circle]));
};

const halve = (sides: readonly WalletSide[]): (readonly WalletSide[])[] => {
  const half = Math.ceil(sides.length / 2);
  return sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
};

const pick = (found: CirclesByKey, { sides, among }: CirclesRequest): Circle[] => {
  const own = new Set(among);
  return sides.flatMap((side) => {
    const circle = found.get(keyOf(side));
    if (circle === undefined) return [];
    return [{ ...circle, met: circle.met.filter(({ counterparty }) => own.has(counterparty)) }];
  });
};

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
