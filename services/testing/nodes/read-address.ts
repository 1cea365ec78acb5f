import type { HistoryNode, HistorySource } from '../../ingest/history/history-source.ts';
import { type HistoryRequest, readHistory } from '../../ingest/history/read-history.ts';
import type { DecodedBlock } from '../../investigate/model/block.ts';
import type { ListedWindow } from '../../investigate/model/history.ts';
import { KnownWindows } from '../../investigate/model/known-windows.ts';
import { systemClock } from '../../platform/clock.ts';

type Opened = {
  readonly node: HistoryNode;
  readonly source: HistorySource;
  readonly others?: readonly HistorySource[];
  readonly known?: KnownWindows;
};

/** Reads an address to the end of what was asked for: by default everything, newest first. */
export const readAddress = async (
  { node, source, others = [], known = new KnownWindows() }: Opened,
  request: Partial<HistoryRequest> & Pick<HistoryRequest, 'address'>,
) => {
  const whole: HistoryRequest = {
    ...{ asset: null, side: 'both', first: 0, last: null, order: 'newest', limit: 1_000 },
    ...request,
  };
  const chain = { node, sources: [...others, source], known, clock: systemClock };
  const reading = readHistory(chain, whole, new AbortController().signal);
  const blocks: DecodedBlock[] = [];
  const windows: ListedWindow[] = [];
  for (;;) {
    const { done, value } = await reading.next();
    if (done) return { blocks, windows, coverage: value };
    if (value.type === 'transaction') blocks.push(value.block);
    else {
      known.add(value.window);
      windows.push(value.window);
    }
  }
};
