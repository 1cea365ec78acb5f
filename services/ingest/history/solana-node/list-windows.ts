import type { Window } from '../../../investigate/model/history.ts';
import type { ListedTransaction } from '../history-source.ts';
import { ANCHOR_SLOTS, type Anchor, type Anchors } from './anchors.ts';
import type { AskJson } from './ask-node.ts';
import { listSignatures, PAGE, within } from './list-signatures.ts';

/** Signatures of an account in one page of ours; more are listed as they are needed. */
const PAGE_MAX = 10 * PAGE;
/** Of an account above a window, on a node that begins at the newest: somebody's lifetime must not be paged through. */
const PASSED_MAX = 50 * PAGE;
/** Windows from the oldest on grow and shrink by this. */
const GROWTH = 6;

type Node = { readonly ask: AskJson; readonly anchors: Anchors };
type Within = Window & { readonly head: number };
/** `isWhole`: false where a list is longer than what is read of one. */
type Page = Window & { readonly listed: readonly ListedTransaction[]; readonly isWhole: boolean };

/**
 * The accounts' transactions downward from the end of the window. What came while it is read is listed, too. Throws
 * `SourceError`.
 */
export async function* newestFirst(
  node: Node,
  accounts: readonly string[],
  { first, last, head }: Within,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const lists = await startAt(node, accounts, { first, last, head }, signal);
  let end = last >= head ? Number.POSITIVE_INFINITY : last;
  for (let reached = Number.POSITIVE_INFINITY; reached > first; ) {
    const before = Math.max(...lists.map((list) => list.reached));
    // Those that begin have listed something already if they reach the window.
    if (before > last || reached <= last)
      await Promise.all(lists.map((list) => list.goOn({ first, reached: before, max: PAGE_MAX }, signal)));
    reached = Math.max(first, ...lists.map((list) => list.reached));
    if (reached <= Math.min(end, last)) {
      const window = { first: reached, last: Math.min(end, last) };
      yield { ...window, listed: taken(lists, { first: reached, last: end }), isWhole: true };
      end = reached - 1;
    } else if (lists.some(({ passed }) => passed >= PASSED_MAX)) {
      yield { first, last: Math.min(end, last), listed: [], isWhole: false };
      return;
    } else taken(lists, { first: last + 1, last: Number.POSITIVE_INFINITY });
  }
}

/** Lists that begin where a window ends: at the anchor that all share, or at one of its own where the hour is busy. */
const startAt = async (
  { ask, anchors }: Node,
  accounts: readonly string[],
  { first, last, head }: Within,
  signal: AbortSignal,
): Promise<readonly AccountList[]> => {
  const listsFrom = (from: Anchor | null) => accounts.map((account) => new AccountList(ask, account, from));
  if (last >= head) return listsFrom(null);
  const hour = (Math.floor(last / ANCHOR_SLOTS) + 1) * ANCHOR_SLOTS;
  const shared = listsFrom(await anchors.at(hour, head, signal));
  const asked = { first, reached: Number.POSITIVE_INFINITY, max: PAGE };
  await Promise.all(shared.map((list) => list.goOn(asked, signal)));
  if (shared.every(({ reached }) => reached <= last)) return shared;
  const own = await anchors.at(last + 1, head, signal);
  return own === null ? shared : listsFrom(own);
};

/** Windows that grow from the oldest on, each with its own anchor. Without anchors all is listed from the newest. */
export async function* oldestFirst(
  node: Node,
  accounts: readonly string[],
  window: Within,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  const { ask, anchors } = node;
  const { last, head } = window;
  const listAll = (first: number, max: number, from?: Anchor) =>
    Promise.all(accounts.map((account) => listSignatures(ask, account, { first, max, from }, signal)));
  // Most wallets have one page since then, whatever the window.
  const newest = await listAll(window.first, PAGE);
  if (newest.every(({ reached }) => reached === window.first)) {
    yield { first: window.first, last, listed: united(newest, { first: window.first, last }), isWhole: true };
    return;
  }
  let width = widthOf(newest, head);
  for (let first = window.first; first <= last; ) {
    // Anchors stand at multiples of the width, so that wallets share them.
    const next = (Math.floor(first / width) + 1) * width;
    const end = next >= head ? last : Math.min(last, next - 1);
    const anchor = await anchors.at(next, head, signal);
    if (anchor === null && next < head) {
      yield* whole(newestFirst(node, accounts, { first, last, head }, signal), { first, last });
      return;
    }
    const lists = await listAll(first, PAGE_MAX, anchor ?? undefined);
    const isWhole = lists.every(({ reached }) => reached === first);
    if (!isWhole && width > 1) {
      width = Math.max(1, Math.floor(width / GROWTH));
      continue;
    }
    const listed = united(lists, { first, last: end });
    yield { first, last: end, listed, isWhole };
    first = end + 1;
    if (listed.length * GROWTH < PAGE_MAX) width *= GROWTH;
  }
}

/** Slots that hold about half of what is listed at once, if the wallet was always as busy as now. */
const widthOf = (newest: readonly { readonly reached: number }[], head: number): number => {
  const span = head - Math.max(...newest.map(({ reached }) => reached)) + 1;
  return Math.max(1, Math.min(ANCHOR_SLOTS, Math.floor((span * PAGE_MAX) / PAGE / 2)));
};

/** All pages as one: what is listed from the newest on is told from the oldest on once it is complete. */
async function* whole(pages: AsyncGenerator<Page>, window: Window): AsyncGenerator<Page> {
  const listed: ListedTransaction[] = [];
  let isWhole = true;
  for await (const page of pages) {
    for (const each of page.listed) listed.push(each);
    isWhole &&= page.isWhole && listed.length < PASSED_MAX;
    if (!isWhole) break;
  }
  yield { ...window, listed: isWhole ? listed : [], isWhole };
}

/** The signatures of an account, newest first, on from where it stopped. */
class AccountList {
  reached = Number.POSITIVE_INFINITY;
  /** Signatures listed so far. */
  passed = 0;
  rows: readonly ListedTransaction[] = [];
  readonly #ask: AskJson;
  readonly #account: string;
  #from: Anchor | null;

  constructor(ask: AskJson, account: string, from: Anchor | null) {
    this.#ask = ask;
    this.#account = account;
    this.#from = from;
  }

  /** Only the one that holds up the others. */
  async goOn(
    { first, reached, max }: { readonly first: number; readonly reached: number; readonly max: number },
    signal: AbortSignal,
  ): Promise<void> {
    if (this.reached < reached || this.reached === first) return;
    const asked = { first, max, from: this.#from ?? undefined };
    const list = await listSignatures(this.#ask, this.#account, asked, signal);
    this.rows = [...this.rows, ...list.listed];
    this.passed += list.listed.length;
    this.reached = list.reached;
    this.#from = list.next ?? this.#from;
  }
}

/** The rows of a window, which are then no longer kept. */
const taken = (lists: readonly AccountList[], window: Window): ListedTransaction[] => {
  const found = united(
    lists.map(({ rows }) => ({ listed: rows })),
    window,
  );
  for (const list of lists) list.rows = list.rows.filter(({ block }) => block < window.first);
  return found;
};

const united = (
  lists: readonly { readonly listed: readonly ListedTransaction[] }[],
  window: Window,
): ListedTransaction[] => {
  const all = lists.flatMap(({ listed }) => within(window, listed));
  return [...new Map(all.map((each) => [each.id, each])).values()];
};
