import type {
  CounterpartyCount,
  CounterpartyCountsRequest,
  TraceReader,
  WalletSide,
} from '../../model/trace-reader.ts';

/** Two queries run in parallel for larger lists, because the engine uses one core for each. */
const SIDES_ALONE = 64;

type WaitingRequest = {
  readonly request: CounterpartyCountsRequest;
  readonly resolve: (answer: Promise<readonly CounterpartyCount[]>) => void;
};

/**
 * A reader for one trace that joins all its counterparty queries into one: planning a query costs as much as
 * reading some twenty wallets. Chain, assets, limits and the size limit are the same for all of them.
 */
export const joinCounts = (reader: TraceReader): TraceReader => {
  let waiting: WaitingRequest[] = [];
  const askAll = (): void => {
    const asking = waiting;
    waiting = [];
    const found = askJoined(
      reader,
      asking.map(({ request }) => request),
    );
    for (const { request, resolve } of asking) resolve(found.then((counts) => pick(counts, request)));
  };
  return {
    ...reader,
    counterpartyCounts: (request) => {
      // Collects all requests of this turn of the event loop.
      if (waiting.length === 0) queueMicrotask(askAll);
      return new Promise((resolve) => waiting.push({ request, resolve }));
    },
  };
};

type CountsByKey = ReadonlyMap<string, CounterpartyCount>;

const askJoined = async (
  reader: TraceReader,
  requests: readonly CounterpartyCountsRequest[],
): Promise<CountsByKey> => {
  const [first] = requests;
  if (first === undefined) return new Map();
  const asked = new Map(requests.flatMap(({ sides }) => sides.map((side) => [keyOf(side), side])));
  const among = [...new Set(requests.flatMap((request) => request.among))];
  const answers = await Promise.all(
    halve([...asked.values()]).map((sides) => reader.counterpartyCounts({ ...first, sides, among })),
  );
  return new Map(answers.flat().map((count) => [keyOf(count), count]));
};

const halve = (sides: readonly WalletSide[]): (readonly WalletSide[])[] => {
  const half = Math.ceil(sides.length / 2);
  return sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
};

const pick = (found: CountsByKey, { sides, among }: CounterpartyCountsRequest): CounterpartyCount[] => {
  const own = new Set(among);
  return sides.flatMap((side) => {
    const count = found.get(keyOf(side));
    if (count === undefined) return [];
    return [{ ...count, met: count.met.filter(({ counterparty }) => own.has(counterparty)) }];
  });
};

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
