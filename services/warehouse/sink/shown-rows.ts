import { isFinal } from '../../events/event-sequence.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';
import {
  type BlockPlace,
  type PlannedPart,
  type PlannedTransaction,
  placeKey,
  type Shown,
  type StoredPart,
  type StoredTransaction,
} from './planned-record.ts';

/** Where a row is in the run and not in the tables yet. */
type InRun = { readonly offset?: number };
type Part = StoredPart & InRun;
type Alone = StoredTransaction & InRun;

/** What has no place in the tables: records of the run that are left out, events of the tables that are hidden. */
export type Displaced = {
  readonly skip: readonly number[];
  readonly hide: readonly number[];
  /** Both the block and another one in its place are said to be final: it is left out, and somebody has to look. */
  readonly isContradicted?: true;
};

/** Which rows the tables will show, as a run of records goes on. */
export class ShownRows {
  readonly #shown: Shown;
  readonly #parts = new Map<string, Part[]>();
  readonly #alone = new Map<string, Alone[]>();
  readonly #gone = new Set<number>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /**
   * Takes the parts of a whole block. The same block stands as it was first stored, unless more of its movements are known
   * now. Of two blocks in one place the final one stands: the head's follower has yet to hear that its own was abandoned.
   */
  placeBlock(parts: readonly PlannedPart[]): Displaced {
    const [first] = parts;
    if (!first) return { skip: [], hide: [] };
    const { head } = first;
    const shown = this.#partsAt(head);
    const same = shown.filter(({ blockHash }) => blockHash === head.blockHash);
    const others = shown.filter(({ blockHash }) => blockHash !== head.blockHash);
    const itself = parts.map(({ offset }) => offset);
    if (contradicts(shown, first)) return { skip: itself, hide: [], isContradicted: true };
    if (others.some(isOfFinal) || knowsAsMuch(same, parts)) return { skip: itself, hide: [] };
    const replaced = [
      ...same,
      ...(isOfFinal(first) ? others : []),
      ...this.#aloneAt(head).filter(({ hash }) => isOfFinal(first) || parts.some((part) => part.lists(hash))),
    ];
    this.retract(replaced.map(({ sequence }) => sequence));
    const placed = parts.map((part) => ({ ...part.head, ...part }));
    this.#parts.set(placeKey(head), [...(this.#parts.get(placeKey(head)) ?? []), ...placed]);
    return {
      skip: replaced.flatMap(({ offset }) => offset ?? []),
      hide: replaced.flatMap(({ offset, sequence }) => (offset === undefined ? sequence : [])),
    };
  }

  /** Takes a transaction without its block; false where itself or its block is shown, so that it needs no row. */
  placeTransaction({ transaction, offset, sequence }: PlannedTransaction): boolean {
    const { hash } = transaction;
    if (this.#partsAt(transaction).some((part) => isBlockOf(part, transaction))) return false;
    if (this.#aloneAt(transaction).some((alone) => alone.hash === hash)) return false;
    const key = placeKey(transaction);
    this.#alone.set(key, [...(this.#alone.get(key) ?? []), { hash, sequence, offset }]);
    return true;
  }

  retract(sequences: readonly number[] = []): void {
    for (const sequence of sequences) this.#gone.add(sequence);
  }

  #partsAt(place: BlockPlace): Part[] {
    return this.#visible([...this.#shown.partsAt(place), ...(this.#parts.get(placeKey(place)) ?? [])]);
  }

  #aloneAt(place: BlockPlace): Alone[] {
    return this.#visible([...this.#shown.aloneAt(place), ...(this.#alone.get(placeKey(place)) ?? [])]);
  }

  #visible<Row extends { readonly sequence: number }>(rows: readonly Row[]): Row[] {
    return rows.filter(({ sequence }) => !this.#gone.has(sequence));
  }
}

/** Whether another final block stands where this one says that it is final, and it does not stand there itself. */
export const contradicts = (shown: readonly StoredPart[], part: PlannedPart): boolean =>
  isOfFinal(part) &&
  shown.some((other) => other.blockHash !== part.head.blockHash && isOfFinal(other)) &&
  !shown.some(({ blockHash }) => blockHash === part.head.blockHash);

const isOfFinal = ({ sequence }: { readonly sequence: number }): boolean => isFinal(sequence);

/** A node that does not name the block of a transaction tells its number. */
const isBlockOf = (part: StoredPart, { blockHash }: LoneTransaction): boolean =>
  blockHash === '' || blockHash === part.blockHash || isOfFinal(part);

const knowsAsMuch = (shown: readonly StoredPart[], parts: readonly PlannedPart[]): boolean =>
  shown.length >= (shown[0]?.parts ?? 1) && movementsOf(shown) >= movementsOf(parts);

const movementsOf = (parts: readonly { readonly movements: number }[]): number =>
  parts.reduce((sum, { movements }) => sum + movements, 0);
