import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { runLedgerSink } from '../../credits/ledger-sink.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Warehouse } from '../../platform/warehouse-engine/warehouse.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { runUntilStopped } from '../run-until-stopped.ts';
import type { Store } from '../store/open-store.ts';
import { type RunningSink, toldWaits } from './told-waits.ts';

export const LEDGER_SINK_GROUP = 'ledger-sink';

/** Ledger events that the tables lack. */
export const readLedgerLag = ({ log }: Pick<Store, 'log'>): Promise<number> =>
  readLag(log, LEDGER_SINK_GROUP, ['ledger.events']);

/** Fills the ledger's tables from the log. */
export const startLedgerSink = (request: {
  store: Store;
  warehouse: Pick<Warehouse, 'writer'>;
  logger: Logger;
}): RunningSink => {
  const { store, warehouse, logger } = request;
  const { waitsSinceUnixMs, waiting, recovered } = toldWaits(
    logger,
    'the tables of the ledger wait; the log keeps what comes',
  );
  const run = async (signal: AbortSignal): Promise<void> => {
    const codec = await openLedgerCodec(store.registry);
    const waits = { onWait: waiting, onRecovered: recovered };
    const sink = { log: store.log, codec, client: warehouse.writer, group: LEDGER_SINK_GROUP, ...waits };
    await runLedgerSink(sink, signal);
  };
  return { ...runUntilStopped(run), waitsSinceUnixMs };
};
