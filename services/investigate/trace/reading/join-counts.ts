import type {
  CounterpartyCount,
  CounterpartyCountsRequest,
  TraceReader,
  WalletSide,
} from '../../model/trace-reader.ts';
import type { ReadLimits } from '../../model/transfer-reader.ts';

/** Two queries run in parallel for larger lists, because the engine uses one core for each. */
const SIDES_ALONE = 64;

type Unlimited = Omit<CounterpartyCountsRequest, keyof ReadLimits>;
type CountsByKey = ReadonlyMap<string, CounterpartyCount>;

/** One query for the requests of one trace: chain, assets and the size limit are the same for all of them. */
export const joinCounts =
  (reader: TraceReader) =>
  async (
    requests: readonly Unlimited[],
    limits: ReadLimits,
  ): Promise<readonly (readonly CounterpartyCount[])[]> => {
    const [first] = requests;
    if (first === undefined) return [];
    const asked = new Map(requests.flatMap(({ sides }) => sides.map((side) => [keyOf(side), side])));
    const among = [...new Set(requests.flatMap((request) => request.among))];
    const answers = await Promise.all(
      halve([...asked.values()]).map((sides) =>
        reader.counterpartyCounts({ ...first, ...limits, sides, among }),
      ),
    );
    const counts = new Map(answers.flat().map((count) => [keyOf(count), count]));
    return requests.map((request) => pick(counts, request));
  };

const halve = (sides: readonly WalletSide[]): (readonly WalletSide[])[] => {
  const half = Math.ceil(sides.length / 2);
  return sides.length > SIDES_ALONE ? [sides.slice(0, half), sides.slice(half)] : [sides];
};

const pick = (found: CountsByKey, { sides, among }: Unlimited): CounterpartyCount[] => {
  const own = new Set(among);
  return sides.flatMap((side) => {
    const count = found.get(keyOf(side));
    if (count === undefined) return [];
    return [{ ...count, met: count.met.filter(({ counterparty }) => own.has(counterparty)) }];
  });
};

const keyOf = ({ wallet, direction }: WalletSide): string => `${wallet} ${direction}`;
