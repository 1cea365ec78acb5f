import { type Filters, NO_FILTERS } from './filters.ts';
import type { Answered } from './picture.ts';

/** What a reader did to the picture. A view is the list of them: undo drops the last, and the same list shows the same elsewhere. */
export type ViewEvent =
  | ({ readonly type: 'answered' } & Answered)
  | { readonly type: 'opened'; readonly payer: string }
  | { readonly type: 'hid'; readonly card: string }
  | { readonly type: 'filtered'; readonly filters: Filters }
  | { readonly type: 'viewed'; readonly as: LinkView }
  | { readonly type: 'noted'; readonly card: string; readonly note: string }
  | { readonly type: 'coloured'; readonly card: string; readonly colour: string | null };

/** All payments between two wallets as one line, or a line for each transaction. */
export type LinkView = 'relations' | 'transactions';

export type View = {
  readonly answers: readonly Answered[];
  readonly opened: readonly string[];
  readonly hidden: ReadonlySet<string>;
  readonly filters: Filters;
  readonly as: LinkView;
  readonly notes: ReadonlyMap<string, string>;
  readonly colours: ReadonlyMap<string, string>;
};

export const EMPTY_VIEW: View = {
  answers: [],
  opened: [],
  hidden: new Set(),
  filters: NO_FILTERS,
  as: 'relations',
  notes: new Map(),
  colours: new Map(),
};

export const evolve = (view: View, event: ViewEvent): View => {
  switch (event.type) {
    case 'answered':
      return { ...view, answers: [...view.answers, { flow: event.flow, from: event.from }] };
    case 'opened':
      return { ...view, opened: [...view.opened.filter((it) => it !== event.payer), event.payer] };
    case 'hid':
      return { ...view, hidden: new Set([...view.hidden, event.card]) };
    case 'filtered':
      return { ...view, filters: event.filters };
    case 'viewed':
      return { ...view, as: event.as };
    case 'noted':
      return { ...view, notes: withEntry(view.notes, event.card, event.note === '' ? null : event.note) };
    case 'coloured':
      return { ...view, colours: withEntry(view.colours, event.card, event.colour) };
  }
};

const withEntry = (map: ReadonlyMap<string, string>, key: string, value: string | null) => {
  const changed = new Map(map);
  if (value === null) changed.delete(key);
  else changed.set(key, value);
  return changed;
};

/** The done events and the undone ones, newest undone last. */
export type History = { readonly done: readonly ViewEvent[]; readonly undone: readonly ViewEvent[] };

export const NOTHING_DONE: History = { done: [], undone: [] };

/** Something new makes what was undone unreachable, as in any editor. */
export const act = ({ done }: History, event: ViewEvent): History => ({
  done: [...done, event],
  undone: [],
});

/** The first answer stays: without it there is no picture. */
export const undo = (history: History): History => {
  const last = history.done.at(-1);
  if (last === undefined || history.done.length === 1) return history;
  return { done: history.done.slice(0, -1), undone: [...history.undone, last] };
};

export const redo = (history: History): History => {
  const next = history.undone.at(-1);
  return next === undefined
    ? history
    : { done: [...history.done, next], undone: history.undone.slice(0, -1) };
};
