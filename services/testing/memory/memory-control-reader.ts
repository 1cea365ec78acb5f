import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { ControlEvent } from '../../investigate/model/control-event.ts';
import {
  type AddressTimes,
  type Caller,
  type ControlReader,
  compareControl,
  type Events,
  type EventsCommon,
  type PlacedControlEvent,
  type TopCallersOf,
} from '../../investigate/model/control-reader.ts';
import type { QueryLimits } from '../../investigate/model/query.ts';
import { type ContiguousRange, ReadFailedError } from '../../investigate/model/transfer-reader.ts';

type Role = 'subject' | 'holder' | 'party';

export type MemoryControlOptions = {
  /** Since when blocks have no gap; unless it is given, the blocks are all that the chain ever had. */
  readonly keptSince?: number;
};

/** The control reader over blocks in memory: what every other reader must agree with. */
export const createMemoryControlReader = (
  blocks: readonly DecodedBlock[],
  { keptSince }: MemoryControlOptions = {},
): ControlReader => {
  const kept = blocks.filter(({ controlCoverage }) => controlCoverage !== 'none');
  const events = kept.flatMap(toPlaced).sort(compareControl);
  const ask =
    (role: Role) =>
    async (common: EventsCommon, asked: readonly AddressTimes[], { signal }: QueryLimits) => {
      refuseAborted(signal);
      const ofRole = events.filter((event) => isKept(event, role));
      return asked.map((times) =>
        select(
          ofRole.filter((event) => event[role] === times.address),
          common,
          times,
        ),
      );
    };
  const spanOf = (chain: string): ContiguousRange | null => {
    const ofChain = kept.filter((block) => block.chain === chain);
    const times = ofChain.map((block) => block.timeUnixSeconds ?? 0);
    if (times.length === 0) return null;
    return {
      fromUnixSeconds: keptSince ?? Math.min(...times),
      toUnixSeconds: Math.max(...times),
      fromBlock: Math.min(
        ...ofChain
          .filter((block) => (block.timeUnixSeconds ?? 0) >= (keptSince ?? 0))
          .map(({ number }) => number),
      ),
      toBlock: Math.max(...ofChain.map(({ number }) => number)),
      beginsChain: keptSince === undefined,
      beginningToBlock: keptSince === undefined ? Math.max(...ofChain.map(({ number }) => number)) : null,
    };
  };
  return {
    eventsOf: ask('subject'),
    eventsOfHolder: ask('holder'),
    eventsByParty: ask('party'),
    topCallers: async (common, programs, { signal }) => {
      refuseAborted(signal);
      const calls = events.filter(({ kind, chain }) => kind === 'calls' && chain === common.chain).reverse();
      return programs.map((program) => {
        const counts = calls.filter(({ subject }) => subject === program);
        return toTopCallers(counts.slice(0, common.rowsMax), common);
      });
    },
    freezes: async ({ chain, asset }, wallets, { signal }) => {
      refuseAborted(signal);
      return wallets.map((wallet) => {
        const ofWallet = events.filter(
          (event) =>
            event.chain === chain &&
            event.holder === wallet &&
            (event.asset ?? event.subject) === asset &&
            (event.kind === 'frozen' || event.kind === 'thawed'),
        );
        const last = [...Map.groupBy(ofWallet, ({ subject }) => subject).values()].flatMap(
          (of) => of.at(-1) ?? [],
        );
        return (
          last
            .filter(({ kind }) => kind === 'frozen')
            .sort(compareControl)
            .at(-1) ?? null
        );
      });
    },
    controlSpan: async (_, chains, { signal }) => {
      refuseAborted(signal);
      return chains.map(spanOf);
    },
  };
};

/** Calls are kept by their program alone, approvals not by the token itself. */
const isKept = ({ kind, asset }: ControlEvent, role: Role): boolean => {
  if (kind === 'calls') return role === 'subject';
  const isOfToken = asset === null && (kind === 'approval' || kind === 'permit');
  return role !== 'subject' || !isOfToken;
};

const refuseAborted = (signal: AbortSignal): void => {
  if (signal.aborted) throw new ReadFailedError('aborted');
};

const toPlaced = (block: DecodedBlock): PlacedControlEvent[] =>
  block.controlEvents.map((event) => {
    const transaction = block.transactions.find(({ txIndex }) => txIndex === event.txIndex);
    return {
      ...event,
      ...{ chain: block.chain, blockTime: block.timeUnixSeconds ?? 0, blockNumber: block.number },
      ...{ signature: transaction?.hash ?? '', sender: transaction?.sender ?? '' },
    };
  });

const select = (
  events: readonly PlacedControlEvent[],
  { chain, kinds, order, limit }: EventsCommon,
  { fromUnixSeconds = 0, toUnixSeconds = Number.MAX_SAFE_INTEGER }: AddressTimes,
): Events => {
  const sign = order === 'newest_first' ? -1 : 1;
  const found = events
    .filter((event) => event.chain === chain && kinds.includes(event.kind))
    .filter(({ blockTime }) => blockTime >= fromUnixSeconds && blockTime <= toUnixSeconds)
    .sort((a, b) => sign * compareControl(a, b))
    .slice(0, limit);
  return { events: found, isCut: found.length >= limit };
};

const sumOf = (counts: readonly PlacedControlEvent[]): bigint =>
  counts.reduce((sum, { amountRaw }) => sum + amountRaw, 0n);

const toTopCallers = (newest: readonly PlacedControlEvent[], { rowsMax, limit }: TopCallersOf) => {
  const callers = [...Map.groupBy(newest, ({ party }) => party)].flatMap(([caller, counts]): Caller[] => {
    const [latest] = counts;
    if (caller === null || latest === undefined) return [];
    const { blockTime, blockNumber, txIndex, signature } = latest;
    return [{ caller, calls: sumOf(counts), latest: { blockTime, blockNumber, txIndex }, signature }];
  });
  const more = (a: Caller, b: Caller): number => Number(b.calls - a.calls) || (a.caller < b.caller ? -1 : 1);
  return {
    callers: callers.sort(more).slice(0, limit),
    calls: sumOf(newest),
    unnamedCalls: sumOf(newest.filter(({ party }) => party === null)),
    sinceUnixSeconds: newest.at(-1)?.blockTime ?? 0,
    isCut: newest.length >= rowsMax,
  };
};
