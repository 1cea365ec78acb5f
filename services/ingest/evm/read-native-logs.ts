import type { AddressBook } from './address-book.ts';
import type { ChainRules } from './chain-rules.ts';
import { amountOf, type Log, readLog, TRANSFER_TOPIC, wordOf } from './read-log.ts';
import type { ValueMove } from './walk-call-trace.ts';

/** What a chain's client logs about the coin in one transaction. */
export type NativeLogs = {
  /** Every movement of the coin except self-destructs; includes the transaction's own value. */
  readonly moves: readonly ValueMove[];
  /** The fee log's recipient; null if there is none. */
  readonly feeTo: string | null;
};

const NOTHING: NativeLogs = { moves: [], feeTo: null };

/**
 * Polygon's client logs every movement of the coin, and the fee, under one contract. That contract, used as a
 * token, repeats the movement right after its `Transfer`; the repetition is left out. Never throws.
 */
export const readNativeLogs = (
  logs: readonly unknown[],
  rules: ChainRules['nativeLogs'],
  addresses: AddressBook,
): NativeLogs => {
  if (rules === null) return NOTHING;
  const moves: ValueMove[] = [];
  let feeTo: string | null = null;
  let before: Log | null = null;
  for (const raw of logs) {
    const log = readLog(raw);
    if (log?.address === rules.contract) {
      const [topic, , fromWord = '', toWord = ''] = log.topics;
      const to = addresses.ofWord(toWord);
      if (topic === rules.feeTopic) feeTo = to;
      else if (topic === rules.transferTopic && !repeats(log, before)) {
        const from = addresses.ofWord(fromWord);
        const weiRaw = amountOf(wordOf(log.data, 0));
        if (from !== null && to !== null && weiRaw !== null) moves.push({ from, to, weiRaw });
      }
    }
    before = log;
  }
  return { moves, feeTo };
};

const repeats = (log: Log, before: Log | null): boolean =>
  before?.address === log.address &&
  before.topics[0] === TRANSFER_TOPIC &&
  before.topics[1] === log.topics[2] &&
  before.topics[2] === log.topics[3];
