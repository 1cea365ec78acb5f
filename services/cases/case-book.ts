import { type Case, type CaseEntry, evolve } from './decider/case.ts';
import { EVENT_BYTES, type Owned } from './decider/decide.ts';

/** All cases, derived from their events. Steps are read from the log when a case is opened. */
export class CaseBook {
  readonly #cases = new Map<string, Case>();
  readonly #byOwner = new Map<string, { readonly ids: Set<string>; writtenBytes: number }>();
  readonly #byLink = new Map<string, string>();

  find(id: string): Case | null {
    return this.#cases.get(id) ?? null;
  }

  findShared(linkHash: string): Case | null {
    return this.find(this.#byLink.get(linkHash) ?? '');
  }

  /** Newest first. */
  casesOf(owner: string): readonly Case[] {
    return [...(this.#byOwner.get(owner)?.ids ?? [])]
      .flatMap((id) => this.find(id) ?? [])
      .sort((a, b) => b.changedUnixMs - a.changedUnixMs);
  }

  ownedBy(owner: string): Owned {
    const { ids, writtenBytes } = this.#byOwner.get(owner) ?? { ids: new Set(), writtenBytes: 0 };
    return { cases: ids.size, writtenBytes };
  }

  /** Whether the event counts: a late or repeated one changes nothing. */
  apply(entry: CaseEntry): boolean {
    const { caseId, owner, event } = entry;
    const known = this.find(caseId);
    const next = evolve(known, entry);
    const owned = this.#byOwner.get(owner) ?? { ids: new Set<string>(), writtenBytes: 0 };
    this.#byOwner.set(owner, owned);
    owned.writtenBytes += EVENT_BYTES + bytesOf(event);
    if (next === known) return false;
    if (known !== null && known.linkHash !== null) this.#byLink.delete(known.linkHash);
    if (next === null) {
      this.#cases.delete(caseId);
      owned.ids.delete(caseId);
      return true;
    }
    this.#cases.set(caseId, next);
    owned.ids.add(caseId);
    if (next.linkHash !== null) this.#byLink.set(next.linkHash, caseId);
    return true;
  }
}

const bytesOf = (event: CaseEntry['event']): number => {
  if (event.type === 'CaseMade') return event.first.recordBytes;
  return event.type === 'StepTaken' ? event.piece.recordBytes : 0;
};
