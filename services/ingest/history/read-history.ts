import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { HistoryKind, HistorySide, ListedWindow, Window } from '../../investigate/model/history.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import type { Clock } from '../../platform/clock.ts';
import { askAhead } from '../nodes/ask-ahead.ts';
import { SourceError } from '../nodes/source-error.ts';
import { cutPage } from './cut-page.ts';
import type { DecodedTransaction, HistoryNode, HistorySource } from './history-source.ts';
import { kindsOf } from './kinds-of.ts';
import { listPages, SourceFailed, type UnitedPage } from './list-pages.ts';
import { planSources } from './plan-sources.ts';
import { type HistoryCoverage, summarise } from './summarise.ts';

export type HistoryRequest = {
  readonly address: string;
  readonly asset: string | null;
  readonly side: HistorySide;
  /** null: the newest final place. */
  readonly first: number;
  readonly last: number | null;
  readonly order: 'oldest' | 'newest';
  /** Transactions that are decoded. */
  readonly limit: number;
};

/** A transaction as a block reduced to it, or a window that holds all before it. */
export type HistoryStep =
  | { readonly type: 'transaction'; readonly block: DecodedBlock }
  | { readonly type: 'window'; readonly window: ListedWindow };

export type ChainHistory = {
  readonly node: HistoryNode;
  /** In order of preference. */
  readonly sources: readonly HistorySource[];
  readonly known: Pick<KnownWindows, 'of'>;
  readonly clock: Clock;
};

/** Enough to hide latency; the node's rate bounds them, too. */
const DECODED_AT_ONCE = 8;
/** A window of which something is missing is worth another attempt after this time. */
const PARTIAL_FOR_SECONDS = 600;

/**
 * Reads what is not known yet of an address from its chain, and tells which windows are known then. Throws
 * `SourceError` if no source lists it, or the signal's reason; what came before stays valid.
 */
export async function* readHistory(
  chain: ChainHistory,
  request: HistoryRequest,
  signal: AbortSignal,
): AsyncGenerator<HistoryStep, HistoryCoverage> {
  const head = await chain.node.head(signal);
  const window = { first: request.first, last: Math.min(request.last ?? head.place, head.place) };
  const reading = new Reading(chain, request, head);
  const wanted = kindsOf(request);
  const probed = await probeAll(chain.sources, signal);
  const kinds = wanted.filter((kind) => probed.some(({ offered }) => offered.includes(kind)));
  const gaps = reading.gaps(window, kinds);
  for (const gap of request.order === 'oldest' ? gaps : gaps.toReversed()) {
    const end = yield* reading.readGap(gap, probed, kinds, signal);
    if (end !== null) return end;
  }
  return summarise(reading.known, { ...request, chain: chain.node.chain, ...window, kinds: wanted });
}

type Probed = { readonly source: HistorySource; readonly offered: readonly HistoryKind[] };

/** Sources that do not answer are left out. @throws the last failure if none answers */
const probeAll = async (sources: readonly HistorySource[], signal: AbortSignal): Promise<Probed[]> => {
  const outcomes = await Promise.allSettled(sources.map((source) => source.probe(signal)));
  signal.throwIfAborted();
  const probed = outcomes.flatMap((outcome, at) => {
    const source = sources[at];
    return outcome.status === 'fulfilled' && source ? [{ source, offered: outcome.value.kinds }] : [];
  });
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (probed.length === 0 && failed) throw failed.reason;
  return probed;
};

class Reading {
  readonly #chain: ChainHistory;
  readonly #request: HistoryRequest;
  readonly #head: { readonly place: number; readonly unixSeconds: number | null };
  readonly #seen = new Set<string>();
  /** What was known before, and what this reading adds: for others it counts once the log holds it. */
  readonly known = new KnownWindows();
  #left: number;

  constructor(
    chain: ChainHistory,
    request: HistoryRequest,
    head: { readonly place: number; readonly unixSeconds: number | null },
  ) {
    this.#chain = chain;
    this.#request = request;
    this.#head = head;
    this.#left = request.limit;
    for (const window of chain.known.of(chain.node.chain, request.address)) this.known.add(window);
  }

  gaps(window: Window, kinds: readonly HistoryKind[]): Window[] {
    const { node, clock } = this.#chain;
    const { address, asset } = this.#request;
    const since = clock.nowUnixMs() / 1_000 - PARTIAL_FOR_SECONDS;
    return this.known.gaps(
      { chain: node.chain, address, asset, kinds, ...window },
      ({ proof, readAtUnixSeconds }) => proof !== 'partial' || readAtUnixSeconds > since,
    );
  }

  /** null if the gap was read to its end. */
  async *readGap(
    gap: Window,
    probed: readonly Probed[],
    kinds: readonly HistoryKind[],
    signal: AbortSignal,
  ): AsyncGenerator<HistoryStep, HistoryCoverage | null> {
    let usable = probed;
    let rest: Window | null = gap;
    const run = new Run(gap);
    while (rest !== null) {
      const plan = planSources(usable, kinds);
      if (plan.length === 0) return null;
      const { address, asset, order } = this.#request;
      try {
        for await (const page of listPages(plan, { address, asset, order, kinds, ...rest }, signal)) {
          const isCut = yield* this.#takePage(page, run, signal);
          rest = rest && after(rest, page, order);
          if (!isCut) continue;
          yield* this.#prove(run, signal);
          return 'older_left_out';
        }
        rest = null;
      } catch (error) {
        if (!(error instanceof SourceFailed)) throw error;
        usable = usable.filter(({ source }) => source !== error.source);
        if (usable.length === 0) throw error.failure;
      }
    }
    yield* this.#prove(run, signal);
    return run.wasPruned ? 'older_left_out' : null;
  }

  /** Returns whether the limit cut it. */
  async *#takePage(page: UnitedPage, run: Run, signal: AbortSignal): AsyncGenerator<HistoryStep, boolean> {
    const unique = [...new Map(page.listed.map((each) => [each.id, each])).values()];
    const fresh = unique.filter(({ id }) => !this.#seen.has(id));
    const { kept, window } = cutPage({ ...page, listed: fresh }, this.#request.order, this.#left);
    let strangers = 0;
    let lacks: DecodedTransaction['lacks'] = null;
    let moved = 0;
    const decode = this.#chain.node.decode;
    for await (const { item, answer } of askAhead(kept, decode, DECODED_AT_ONCE, signal)) {
      this.#seen.add(item.id);
      this.#left -= 1;
      if (!answer.names(this.#request.address)) {
        strangers += 1;
        continue;
      }
      lacks ??= answer.lacks;
      run.add(answer);
      if (answer.block === null) continue;
      moved += 1;
      yield { type: 'transaction', block: answer.block };
    }
    if (window === null) return true;
    run.note(page.sources, window);
    const reasonOf = (kind: HistoryKind): string | null =>
      page.lacks?.[kind] ?? (strangers > 0 ? 'listed_strangers' : null) ?? whyPartial(kind, lacks);
    const whole = page.covers.filter((kind) => reasonOf(kind) === null);
    run.listed(whole.filter((kind) => page.byNode.includes(kind)));
    const told = { sources: page.sources, transactions: moved };
    if (whole.length > 0)
      yield this.#window(window, { ...told, kinds: whole, proof: 'listed', reason: null });
    const partial = [...new Set([...page.covers, ...(Object.keys(page.lacks ?? {}) as HistoryKind[])])];
    for (const [reason, kinds] of Map.groupBy(partial, reasonOf))
      if (reason !== null) yield this.#window(window, { ...told, kinds, proof: 'partial', reason });
    return kept.length < fresh.length;
  }

  async *#prove(run: Run, signal: AbortSignal): AsyncGenerator<HistoryStep, void> {
    const { window, transactions, sources } = run;
    if (window === null) return;
    const { address } = this.#request;
    const wanted = kindsOf(this.#request);
    const question = { address, wanted, listedByNode: run.listedByNode, transactions, ...window };
    const possible = await this.#chain.node.prove(question, signal).catch((error: unknown) => {
      // A window without proof is still listed.
      if (!(error instanceof SourceError)) throw error;
      return [];
    });
    const proved = possible.filter((kind) => wanted.includes(kind));
    if (proved.length === 0) return;
    const told = { sources, kinds: proved, reason: null, transactions: run.moved };
    yield this.#window(window, { ...told, proof: 'proved' });
  }

  #window(
    { first, last }: Window,
    told: Pick<ListedWindow, 'kinds' | 'proof' | 'reason' | 'transactions'> & { readonly sources: string },
  ): HistoryStep {
    const { node, clock } = this.#chain;
    const { sources, ...rest } = told;
    const window: ListedWindow = {
      ...{ chain: node.chain, address: this.#request.address, first, last, ...rest, source: sources },
      asset: told.kinds.some((kind) => kind.startsWith('tokens')) ? this.#request.asset : null,
      lastUnixSeconds: last >= this.#head.place ? this.#head.unixSeconds : null,
      readAtUnixSeconds: Math.floor(clock.nowUnixMs() / 1_000),
    };
    this.known.add(window);
    return { type: 'window', window };
  }
}

/** A part of a gap that was read in one go. */
class Run {
  readonly transactions: DecodedTransaction[] = [];
  window: Window | null = null;
  sources = '';
  moved = 0;
  wasPruned = false;
  #kinds: readonly HistoryKind[] | null = null;
  readonly #gap: Window;

  constructor(gap: Window) {
    this.#gap = gap;
  }

  add(transaction: DecodedTransaction): void {
    this.transactions.push(transaction);
    if (transaction.block !== null) this.moved += 1;
    this.wasPruned ||= transaction.lacks === 'pruned';
  }

  note(sources: string, { first, last }: Window): void {
    this.sources = sources;
    const { window } = this;
    this.window =
      window === null
        ? { first: Math.max(first, this.#gap.first), last: Math.min(last, this.#gap.last) }
        : { first: Math.min(window.first, first), last: Math.max(window.last, last) };
  }

  /** Kinds that a node listed of a page. */
  listed(kinds: readonly HistoryKind[]): void {
    this.#kinds = this.#kinds === null ? kinds : this.#kinds.filter((kind) => kinds.includes(kind));
  }

  /** Of all pages. */
  get listedByNode(): readonly HistoryKind[] {
    return this.#kinds ?? [];
  }
}

const after = ({ first, last }: Window, page: Window, order: 'oldest' | 'newest'): Window | null => {
  const rest = order === 'oldest' ? { first: page.last + 1, last } : { first, last: page.first - 1 };
  return rest.first <= rest.last ? rest : null;
};

const whyPartial = (kind: HistoryKind, lacks: DecodedTransaction['lacks']): string | null => {
  if (lacks === null) return null;
  if (lacks === 'calls') return kind.startsWith('tokens') || kind === 'emitted' ? null : 'calls_not_traced';
  return lacks === 'version' ? 'unknown_version' : 'pruned';
};
