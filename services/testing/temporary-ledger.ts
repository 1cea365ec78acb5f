import { type Ledger, type LedgerOptions, startLedger } from '../credits/ledger.ts';
import { openLedgerCodec } from '../credits/ledger-codec.ts';
import { openSnapshotFile } from '../credits/snapshot-file.ts';
import { openLocalRegistry } from '../platform/avro/local-registry.ts';
import { systemClock } from '../platform/clock.ts';
import { openEmbeddedLog } from '../platform/event-log/embedded/open-embedded-log.ts';
import { TOPICS } from '../platform/event-log/topics.ts';

export type OpenedLedger = {
  readonly ledger: Ledger;
  readonly log: Awaited<ReturnType<typeof openEmbeddedLog>>;
  readonly errors: unknown[];
  /** Ends both, the ledger first. */
  close(): Promise<void>;
};

/** A ledger on an embedded log in a folder: as another process would have it, when it is called again. */
export const openLedgerIn = async (
  folder: string,
  options: Partial<LedgerOptions> & { leaseMs?: number } = {},
): Promise<OpenedLedger> => {
  const { leaseMs = 1_500, ...given } = options;
  const log = await openEmbeddedLog({
    folder,
    topics: TOPICS,
    maxQueuedBytes: 4 << 20,
    maxRecordBytes: 1 << 20,
    leaseMs,
  });
  const codec = await openLedgerCodec(openLocalRegistry(`${folder}/schemas.json`));
  const errors: unknown[] = [];
  const ledger = startLedger({
    log,
    codec,
    clock: systemClock,
    snapshot: openSnapshotFile(`${folder}/ledger-snapshot`),
    onError: (error) => void errors.push(error),
    ...given,
  });
  await ledger.ready();
  return {
    ledger,
    log,
    errors,
    close: async () => {
      await ledger.stop();
      await log.close();
    },
  };
};
