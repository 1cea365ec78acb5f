import type { BlockTransaction } from '../investigate/model/block.ts';
import type { ControlEvent } from '../investigate/model/control-event.ts';

/** Callers of a program named for each block, the most frequent first. All others are one count. */
export const CALLERS_NAMED = 16;

type Count = { readonly caller: string; readonly txIndex: number; calls: number };

/** Counts the callers of each program in one block. A count belongs to the first transaction that it counts. */
export class CallCounts {
  readonly #programs = new Map<string, Map<string, Count>>();

  add(program: string, caller: string, { txIndex }: Pick<BlockTransaction, 'txIndex'>): void {
    const callers = this.#programs.get(program) ?? new Map<string, Count>();
    const count = callers.get(caller);
    if (count) count.calls++;
    else callers.set(caller, { caller, txIndex, calls: 1 });
    this.#programs.set(program, callers);
  }

  /** As control events, numbered after the block's others. */
  toEvents(events: readonly ControlEvent[]): ControlEvent[] {
    const next = new Map<number, number>();
    for (const { txIndex, index } of events) next.set(txIndex, index + 1);
    const found: ControlEvent[] = [];
    const push = (subject: string, party: string | null, { txIndex, calls }: Omit<Count, 'caller'>): void => {
      const index = next.get(txIndex) ?? 0;
      next.set(txIndex, index + 1);
      const none = { holder: null, asset: null, detail: null, emitter: null, byHolder: false };
      found.push({ txIndex, index, kind: 'calls', subject, party, ...none, amountRaw: BigInt(calls) });
    };
    for (const [program, callers] of this.#programs) {
      const counts = [...callers.values()].sort((a, b) => b.calls - a.calls || a.txIndex - b.txIndex);
      for (const count of counts.slice(0, CALLERS_NAMED)) push(program, count.caller, count);
      const [first, ...others] = counts.slice(CALLERS_NAMED);
      if (first === undefined) continue;
      const calls = others.reduce((sum, count) => sum + count.calls, first.calls);
      push(program, null, { txIndex: first.txIndex, calls });
    }
    return found;
  }
}
