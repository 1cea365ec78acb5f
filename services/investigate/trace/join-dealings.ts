import type { Dealings, DealingsRequest, TraceReader, WalletSide } from '../model/trace-reader.ts';

/** More sides take two questions side by side, one a core where there are two: an engine answers one on one core. */
const SIDES_ALONE = 128;

type Asking = {
  readonly request: DealingsRequest;
  readonly resolve: (answer: Promise<readonly Dealings[]>) => void;
};

/**
 * A reader for one trace that puts into one question whom all wallets dealt with that it is asked about at once: planning a question
 * costs as much as reading some hundred wallets. Chain, assets and limits are those of the trace, the same in all of them.
 */
export const joinDealings = (reader: TraceReader): TraceReader => {
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
    dealings: (request) => {
      // Whoever asks in this turn is waited for.
      if (waiting.length === 0) queueMicrotask(askAll);
      return new Promise((resolve) => waiting.push({ request, resolve }));
    },
  };
};

type Found = ReadonlyMap<string, Dealings>;

const askJoined = async (reader: TraceReader, requests: readonly DealingsRequest[]): Promise<Found> => {
  const sides = new Map(requests.flatMap((request) => request.sides.map((side) => [keyOf(side), side])));
  const [first] = requests;
  if (first === undefined || sides.size === 0) return new Map();
  const others = [...new Set(requests.flatMap((request) => request.others))];
  const answers = await Promise.all(
    halve([...sides.values()]).map((half) => reader.dealings({ ...first, sides: half, others })),
  );
  return new Map(answers.flat().map((side) => [keyOf(side), side]));
};

const halve = (sides: readonly WalletSide[]): (readonly WalletSide[])[] => {
  const half = Math.ceil(sides.length / 2);
  return sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
};

const pick = (found: Found, { sides, others }: DealingsRequest): Dealings[] => {
  const asked = new Set(others);
  return sides.flatMap((one) => {
    const side = found.get(keyOf(one));
    if (side === undefined) return [];
    return { ...side, shared: side.shared.filter(({ counterparty }) => asked.has(counterparty)) };
  });
};

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
