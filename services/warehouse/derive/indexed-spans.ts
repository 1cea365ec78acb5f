import { ReadFailedError, type TransferReader } from '../../investigate/model/transfer-reader.ts';
import { askRows } from '../../platform/warehouse-engine/ask-rows.ts';
import type { WarehouseClient } from '../../platform/warehouse-engine/warehouse.ts';

export type ReadSpan = TransferReader['contiguousRange'];

const KNOWN =
  'SELECT toString(chain), toString(from_block), toUnixTimestamp(from_time), begins_chain FROM indexed_spans FINAL';
const NOTE = `
INSERT INTO indexed_spans (chain, from_block, from_time, begins_chain)
SELECT {chain:String}, {block:UInt64}, toDateTime({time:UInt32}, 'UTC'), {begins:Bool}`;

const TIMEOUT_MS = 60_000;

/**
 * Notes since when each chain is indexed without a gap, where that changed, for views that tell what came
 * first. A chain whose blocks cannot be looked through in time keeps its last note, and is tried again.
 */
export const noteIndexedSpans = async (
  client: WarehouseClient,
  { chains, readSpan, signal }: { chains: readonly string[]; readSpan: ReadSpan; signal: AbortSignal },
): Promise<void> => {
  const known = new Map(
    (await askRows<[string, string, number, boolean]>(client, KNOWN)).map(([chain, ...span]) => [
      chain,
      String(span),
    ]),
  );
  for (const chain of chains) {
    const reading = readSpan({}, [chain], { signal, timeoutMs: TIMEOUT_MS });
    const [span = null] = await reading.catch((error: unknown) => {
      if (error instanceof ReadFailedError && error.code === 'timeout') return [];
      throw error;
    });
    if (span === null) continue;
    const { fromBlock: block, fromUnixSeconds: time, beginsChain: begins } = span;
    if (known.get(chain) === String([block, time, begins])) continue;
    await client.command({ query: NOTE, query_params: { chain, block, time, begins } });
  }
};
