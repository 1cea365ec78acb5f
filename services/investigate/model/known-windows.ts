import type { HistoryKind, ListedWindow, Window } from './history.ts';
import { gapsWithin } from './unite-windows.ts';

/** What is to be known of an address, and how well. */
export type WindowQuestion = Window & {
  readonly chain: string;
  readonly address: string;
  readonly kinds: readonly HistoryKind[];
  readonly asset: string | null;
};

/** Of more addresses the one that was silent for longest is forgotten, and is read again if somebody asks. */
const ADDRESSES_MAX = 100_000;
/** Of one address; the oldest are forgotten. A source pages a long history in few windows. */
const WINDOWS_MAX = 1_000;

/** The windows of histories that were read, by address. */
export class KnownWindows {
  readonly #byAddress = new Map<string, ListedWindow[]>();

  add(window: ListedWindow): void {
    const key = `${window.chain}:${window.address}`;
    const before = this.#byAddress.get(key) ?? [];
    this.#byAddress.delete(key);
    const kept = before.filter((each) => !isWithin(each, window)).slice(1 - WINDOWS_MAX);
    this.#byAddress.set(key, [...kept, window]);
    const [oldest] = this.#byAddress.keys();
    if (this.#byAddress.size > ADDRESSES_MAX && oldest !== undefined) this.#byAddress.delete(oldest);
  }

  of(chain: string, address: string): readonly ListedWindow[] {
    return this.#byAddress.get(`${chain}:${address}`) ?? [];
  }

  /** What is missing of any of the kinds. `counts` tells which windows are good enough. */
  gaps(question: WindowQuestion, counts: (window: ListedWindow) => boolean): Window[] {
    const { chain, address, kinds, asset } = question;
    const usable = this.of(chain, address).filter(
      (window) => (window.asset === null || window.asset === asset) && counts(window),
    );
    const missing = kinds.flatMap((kind) =>
      gapsWithin(
        question,
        usable.filter((window) => window.kinds.includes(kind)),
      ),
    );
    return gapsWithin(question, gapsWithin(question, missing));
  }
}

/** Whether the newer window says all that the older one says. */
const isWithin = (older: ListedWindow, newer: ListedWindow): boolean =>
  newer.first <= older.first &&
  older.last <= newer.last &&
  (newer.asset === null || newer.asset === older.asset) &&
  older.kinds.every((kind) => newer.kinds.includes(kind)) &&
  RANK[newer.proof] >= RANK[older.proof];

const RANK = { proved: 2, listed: 1, partial: 0 };
