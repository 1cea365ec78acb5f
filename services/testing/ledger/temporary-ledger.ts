import { type Ledger, type LedgerOptions, startLedger } from '../../credits/ledger.ts';
import type { LedgerCodec } from '../../credits/ledger-codec.ts';
import { openSnapshotFile } from '../../credits/snapshot-file.ts';
import { systemClock } from '../../platform/clock.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';

export type OpenedLedger = {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly errors: unknown[];
  /** Ends both, the ledger first. */
  close(): Promise<void>;
};

/** A ledger on this log; its snapshot lies in the folder. */
export const openLedgerOn = async (
  { folder, log, codec }: { folder: string; log: EventLog; codec: LedgerCodec },
  options: Partial<LedgerOptions> = {},
): Promise<OpenedLedger> => {
  const errors: unknown[] = [];
  const ledger = startLedger({
    log,
    codec,
    clock: systemClock,
    snapshot: openSnapshotFile(`${folder}/ledger-snapshot`),
    onError: (error) => void errors.push(error),
    ...options,
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
