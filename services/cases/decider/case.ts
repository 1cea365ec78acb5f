/** A record of `cases.steps` that holds one step of a case. */
export type Piece = {
  readonly partition: number;
  readonly offset: number;
  /** Length of its text, and of the record that holds it. */
  readonly textBytes: number;
  readonly recordBytes: number;
};

/** The events of a case, in the past tense. The Avro schema describes each field. */
export type CaseEvent =
  | { readonly type: 'CaseMade'; readonly name: string; readonly first: Piece }
  | { readonly type: 'StepTaken'; readonly version: number; readonly piece: Piece }
  | { readonly type: 'StepUndone'; readonly version: number }
  | { readonly type: 'StepRedone'; readonly version: number }
  | { readonly type: 'CaseNamed'; readonly name: string }
  | { readonly type: 'LinkMade'; readonly hash: Uint8Array }
  | { readonly type: 'LinkRevoked' }
  | { readonly type: 'CaseDeleted' };

export type CaseEntry = {
  readonly caseId: string;
  readonly owner: string;
  readonly atUnixMs: number;
  readonly event: CaseEvent;
};

/** What somebody did to a picture of money, step by step, and who else may look at it. */
export type Case = {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly madeUnixMs: number;
  readonly changedUnixMs: number;
  /** Grows with each step, undo and redo. A change names the version that it was made to. */
  readonly version: number;
  readonly done: readonly Piece[];
  /** Newest undone last. */
  readonly undone: readonly Piece[];
  /** SHA-256 of the link, in hex; null while nobody else may look. */
  readonly linkHash: string | null;
};

/** The case after the event; null once it is deleted, and the same case where the event does not count. */
export const evolve = (known: Case | null, { caseId, owner, atUnixMs, event }: CaseEntry): Case | null => {
  if (event.type === 'CaseMade')
    return known === null
      ? {
          ...{ id: caseId, owner, name: event.name, madeUnixMs: atUnixMs, changedUnixMs: atUnixMs },
          ...{ version: 1, done: [event.first], undone: [], linkHash: null },
        }
      : known;
  if (known === null || known.owner !== owner) return known;
  const { done, undone, version } = known;
  const changed = { ...known, changedUnixMs: atUnixMs };
  const stepped = { ...changed, version: version + 1 };
  switch (event.type) {
    case 'StepTaken':
      return event.version === version ? { ...stepped, done: [...done, event.piece], undone: [] } : known;
    case 'StepUndone': {
      const last = done.at(-1);
      // The first step stays: without it there is nothing to show.
      return event.version !== version || last === undefined || done.length === 1
        ? known
        : { ...stepped, done: done.slice(0, -1), undone: [...undone, last] };
    }
    case 'StepRedone': {
      const next = undone.at(-1);
      return event.version !== version || next === undefined
        ? known
        : { ...stepped, done: [...done, next], undone: undone.slice(0, -1) };
    }
    case 'CaseNamed':
      return { ...changed, name: event.name };
    case 'LinkMade':
      return { ...changed, linkHash: Buffer.from(event.hash).toString('hex') };
    case 'LinkRevoked':
      return known.linkHash === null ? known : { ...changed, linkHash: null };
    case 'CaseDeleted':
      return null;
  }
};
