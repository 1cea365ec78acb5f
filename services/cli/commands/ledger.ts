import { Command } from 'commander';
import { type Audit, type AuditRequest, auditLedger } from '../../credits/audit.ts';
import { openLedgerCodec } from '../../credits/ledger-codec.ts';
import { openSnapshotFile } from '../../credits/snapshot-file.ts';
import { showableLine } from '../../platform/showable.ts';
import { snapshotPath } from '../../roles/billing/start-billing.ts';
import { LEDGER_SINK_GROUP } from '../../roles/sink/start-ledger-sink.ts';
import type { Store } from '../../roles/store/open-store.ts';
import { example } from '../example.ts';
import { hasWarehouse, reachWarehouse } from '../reach-warehouse.ts';
import { verdictOf } from '../reports/audit-verdict.ts';
import { startWaiting } from '../reports/start-waiting.ts';
import { withStore } from '../with-billing.ts';

const AUDIT = 'spoor ledger audit --json';
const EXIT_FAILED = 1;

/** `spoor ledger audit`: recomputes every balance from the events. */
export const ledgerCommand = (): Command =>
  new Command('ledger')
    .description('Check the ledger of credits.')
    .addHelpText('after', example(AUDIT))
    .addCommand(
      new Command('audit')
        .description(
          'Compute every balance again from the events and compare; exit 1 where anything differs.',
        )
        .option('--json', 'end with one JSON line of totals on stdout')
        .addHelpText('after', example(AUDIT))
        .action(({ json }: { json?: boolean }) =>
          withStore(async (store) => {
            const audit = await auditStore(store);
            for (const { payer, problem } of audit.problems)
              process.stderr.write(`${showableLine(`${payer}: ${problem}`)}\n`);
            process.stderr.write(`${describe(audit)}\n`);
            if (json) process.stdout.write(`${JSON.stringify(toJson(audit))}\n`);
            if (audit.problems.length > 0) process.exitCode = EXIT_FAILED;
          }),
        ),
    );

const auditStore = async (store: Store): Promise<Audit> => {
  const codec = await openLedgerCodec(store.registry);
  const snapshot = openSnapshotFile(snapshotPath(store)).read();
  let replayed = { events: 0 };
  const watch = (by: { readonly events: number }): void => {
    replayed = by;
  };
  const request = { log: store.log, codec, snapshot, watch };
  const waiting = startWaiting(() => `${replayed.events} events of the ledger compared`);
  return auditWith(store, request).finally(waiting.stop);
};

const auditWith = async (store: Store, request: Omit<AuditRequest, 'tables'>): Promise<Audit> => {
  if (!hasWarehouse(store)) return auditLedger({ ...request, tables: null });
  const warehouse = await reachWarehouse(store);
  try {
    const tables = { client: warehouse.writer, group: LEDGER_SINK_GROUP };
    return await auditLedger({ ...request, tables });
  } finally {
    await warehouse.close();
  }
};

const toJson = (audit: Audit) => ({
  name: 'ledger audit',
  events: audit.events,
  payers: audit.payers,
  reserved: audit.reserved,
  posted: audit.posted,
  voided: audit.voided,
  open: audit.open,
  credits_added: audit.creditsAdded,
  credits_left: audit.creditsLeft,
  snapshot_compared: audit.snapshot,
  tables_compared: audit.tables !== null,
  tables_lag: audit.tables?.lag ?? null,
  tables_moving: audit.tables?.moving ?? null,
  problems: audit.problems.length,
});

const describe = (audit: Audit): string => {
  const { events, payers, posted, voided, open, tables } = audit;
  return (
    `${events} events of ${payers} payers: ${posted} calls posted, ${voided} voided, ${open} open; ` +
    (tables === null
      ? 'there are no tables here to compare; '
      : `the tables lack ${tables.lag} events yet, and ${tables.moving} payers called meanwhile; `) +
    verdictOf(audit, 'every balance is right')
  );
};
