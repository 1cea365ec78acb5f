import { isFinal } from '../../events/event-sequence.ts';
import type { LoneTransaction } from '../../events/lone-transaction.ts';
import {
  type BlockName,
  type BlockPlace,
  blockKey,
  type PlannedPart,
  type PlannedRetraction,
  type PlannedTransaction,
  placeKey,
  type Shown,
  type StoredPart,
  type StoredTransaction,
} from './planned-record.ts';

/** A row that is in the run and not in the tables yet. */
type InRun = { readonly offset?: number };
type Part = StoredPart & InRun;
type Alone = StoredTransaction & InRun;

/** Left out of the tables: records of the run, and events that are hidden. */
export type Displaced = {
  readonly skip: readonly number[];
  readonly hide: readonly number[];
  /** Final blocks whose stored copy is the head's, so that the head cannot retract them any more. */
  readonly keep: readonly BlockName[];
  /**
   * Both the block and another one at its height claim to be final. It is left out, and an operator has to
   * check.
   */
  readonly isContradicted?: true;
};

/** Which rows the tables will show after the records of a run so far. */
export class ShownRows {
  readonly #shown: Shown;
  readonly #parts = new Map<string, Part[]>();
  readonly #alone = new Map<string, Alone[]>();
  readonly #gone = new Set<number>();
  readonly #kept = new Set<string>();

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  /**
   * Takes the parts of a complete block. A block keeps its first copy, unless a later one has more movements,
   * or as many and more control events. Of two blocks at one height the final one stays, whichever topic its
   * fullest copy came from: the head's follower may learn later that its own was abandoned.
   */
  placeBlock(parts: readonly PlannedPart[]): Displaced {
    const [first] = parts;
    if (!first) return { skip: [], hide: [], keep: [] };
    const { head } = first;
    const shown = this.#partsAt(head);
    const same = shown.filter(({ blockHash }) => blockHash === head.blockHash);
    const others = shown.filter(({ blockHash }) => blockHash !== head.blockHash);
    const left = { skip: parts.map(({ offset }) => offset), hide: [], keep: [] };
    if (contradicts(shown, first, this)) return { ...left, isContradicted: true };
    if (others.some((part) => isFinalAt(head, part, this))) return left;
    const isKnown = knowsAsMuch(same, parts);
    const isOfHead = !(isKnown ? same : parts).some(isOfFinal);
    const keep = isOfHead && [first, ...same].some(isOfFinal) ? this.#keep(head) : [];
    if (isKnown) return { ...left, keep };
    const replaced = [
      ...same,
      ...(isOfFinal(first) ? others : []),
      ...this.#aloneAt(head).filter(({ hash }) => isOfFinal(first) || parts.some((part) => part.lists(hash))),
    ];
    this.#hide(replaced.map(({ sequence }) => sequence));
    const placed = parts.map((part) => ({ ...part.head, ...part }));
    this.#parts.set(placeKey(head), [...(this.#parts.get(placeKey(head)) ?? []), ...placed]);
    return {
      skip: replaced.flatMap(({ offset }) => offset ?? []),
      hide: replaced.flatMap(({ offset, sequence }) => (offset === undefined ? sequence : [])),
      keep,
    };
  }

  /**
   * Takes a transaction without its block. False when the transaction or its block is already shown, so that
   * it needs no row.
   */
  placeTransaction({ transaction, offset, sequence }: PlannedTransaction): boolean {
    const { hash } = transaction;
    if (this.#partsAt(transaction).some((part) => isBlockOf(part, transaction))) return false;
    if (this.#aloneAt(transaction).some((alone) => alone.hash === hash)) return false;
    const key = placeKey(transaction);
    this.#alone.set(key, [...(this.#alone.get(key) ?? []), { hash, sequence, offset }]);
    return true;
  }

  /** The events that an abandoned block hides: none, if another source says that the block is final. */
  takeBack({ retracts, abandoned }: PlannedRetraction): readonly number[] {
    if (this.isKeptFinal(abandoned)) return [];
    this.#hide(retracts);
    return retracts;
  }

  #hide(sequences: readonly number[]): void {
    for (const sequence of sequences) this.#gone.add(sequence);
  }

  isKeptFinal(block: BlockName): boolean {
    return this.#kept.has(blockKey(block)) || this.#shown.isKeptFinal(block);
  }

  #keep(block: BlockName): BlockName[] {
    if (this.isKeptFinal(block)) return [];
    this.#kept.add(blockKey(block));
    return [block];
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

/** Whether another final block is stored where this one claims to be final, and this one is not. */
export const contradicts = (
  shown: readonly StoredPart[],
  part: PlannedPart,
  kept: Pick<Shown, 'isKeptFinal'>,
): boolean =>
  isOfFinal(part) &&
  shown.some((other) => other.blockHash !== part.head.blockHash && isFinalAt(part.head, other, kept)) &&
  !shown.some(({ blockHash }) => blockHash === part.head.blockHash);

const isOfFinal = ({ sequence }: { readonly sequence: number }): boolean => isFinal(sequence);

const isFinalAt = (
  place: BlockPlace,
  { sequence, blockHash }: StoredPart,
  kept: Pick<Shown, 'isKeptFinal'>,
): boolean => isFinal(sequence) || kept.isKeptFinal({ ...place, blockHash });

/** A node that does not name a transaction's block gives its number. */
const isBlockOf = (part: StoredPart, { blockHash }: LoneTransaction): boolean =>
  blockHash === '' || blockHash === part.blockHash || isOfFinal(part);

const knowsAsMuch = (shown: readonly StoredPart[], parts: readonly PlannedPart[]): boolean => {
  if (shown.length < (shown[0]?.parts ?? 1)) return false;
  const more = movementsOf(shown) - movementsOf(parts);
  return more === 0 ? controlOf(shown) >= controlOf(parts) : more > 0;
};

const movementsOf = (parts: readonly { readonly movements: number }[]): number =>
  parts.reduce((sum, { movements }) => sum + movements, 0);

/** One decoder made all parts of a block, so they have the same coverage. */
const controlOf = ([part]: readonly { readonly keepsControl: number }[]): number => part?.keepsControl ?? 0;
