import { Command } from 'commander';
import { type Config, loadConfig } from '../../platform/config/config.ts';
import { showableLines } from '../../platform/showable.ts';
import { probeHistories } from '../../roles/ingest/probe-histories.ts';
import { SINK_GROUP, TRANSFER_TOPICS } from '../../roles/sink/start-sink.ts';
import { storesHere } from '../../roles/store/choose-store.ts';
import type { Store, StoreName } from '../../roles/store/open-store.ts';
import { type Diagnosis, diagnose } from '../../warehouse/doctor.ts';
import { readLag } from '../../warehouse/sink/lag.ts';
import { example } from '../example.ts';
import { openToldStore } from '../open-told-store.ts';
import { reachWarehouse } from '../reach-warehouse.ts';
import { describeHistory, reportHistory } from '../reports/history-report.ts';
import { whileWaiting } from '../reports/start-waiting.ts';

/** `spoor doctor`: gaps by slot and block, parts of each table, and the sink's lag. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('Report gaps, table parts and lag of every store in SPOOR_DATA.')
    .option(
      '--json',
      'one JSON line a store on stdout, and a line of totals unless there is exactly one store',
    )
    .option(
      '--history',
      'ask who lists wallet histories of the chains in SPOOR_CHAINS what they offer, instead',
    )
    .addHelpText('after', example('spoor doctor --json', 'spoor doctor --history'))
    .action(async ({ json, history }: { json?: boolean; history?: boolean }) => {
      const config = loadConfig(process.env);
      if (history) {
        await tellHistories(config, json === true);
        return;
      }
      const names = storesHere(config);
      if (names.length === 0) process.stderr.write(`there is no data in ${config.dataFolder} yet\n`);
      const counts = countsOf(config);
      const totals = { name: 'doctor', stores: names.length, lag_records: 0, dead_letters: 0, counts };
      for (const name of names) {
        const report = await examineStore(config, name);
        totals.lag_records += report.lag_records;
        totals.dead_letters += report.dead_letters;
        process.stdout.write(
          `${json ? JSON.stringify({ name: 'doctor', ...report }) : showableLines(describe(report))}\n`,
        );
      }
      if (json && names.length !== 1) process.stdout.write(`${JSON.stringify(totals)}\n`);
    });

const tellHistories = async ({ chains }: Config, isJson: boolean): Promise<void> => {
  if (chains.length === 0) process.stderr.write('SPOOR_CHAINS names no chain\n');
  const probed = await whileWaiting('asking the sources of histories', () => probeHistories(chains));
  for (const history of probed) {
    const text = isJson ? JSON.stringify(reportHistory(history)) : showableLines(describeHistory(history));
    process.stdout.write(`${text}\n`);
  }
};

type Report = Diagnosis & {
  readonly store: StoreName;
  readonly lag_records: number;
  readonly dead_letters: number;
  /**
   * Explains `lag_records` and `dead_letters`: brokers also number transaction markers, and only reading tells
   * these apart.
   */
  readonly counts: 'exact' | 'at_most';
};

const countsOf = ({ kafka }: Config): Report['counts'] => (kafka === null ? 'exact' : 'at_most');

const examineStore = async (config: Config, name: StoreName): Promise<Report> => {
  const store = await openToldStore(config, name);
  try {
    return await whileWaiting(`examining ${name}`, () => examineOpen(config, name, store));
  } finally {
    await store.close();
  }
};

const examineOpen = async (config: Config, name: StoreName, store: Store): Promise<Report> => {
  const lag = await readLag(store.log, SINK_GROUP, TRANSFER_TOPICS);
  const letters = await store.log.ranges('dead-letters');
  const deadLetters = letters.reduce((sum, { begin, end }) => sum + end - begin, 0);
  const counted = { lag_records: lag, dead_letters: deadLetters, counts: countsOf(config) };
  return { store: name, ...counted, ...(await examine(store)) };
};

const examine = async (store: Store): Promise<Diagnosis> => {
  const warehouse = await reachWarehouse(store);
  try {
    return await diagnose(warehouse.writer);
  } finally {
    await warehouse.close();
  }
};

const describe = (report: Report): string => {
  const { store, lag_records: lag, dead_letters: deadLetters } = report;
  const { chains, gaps, incomplete, mismatched, tables } = report;
  const most = report.counts === 'exact' ? '' : 'at most ';
  const lines = [
    `store ${store}: ${most}${lag} records not yet in the tables, ${most}${deadLetters} dead letters`,
  ];
  for (const c of chains)
    lines.push(`  ${c.chain}: ${c.blocks} blocks from ${c.first} to ${c.last}, ${c.gaps} gaps`);
  for (const g of gaps) lines.push(`    nothing between ${g.after} and ${g.until + 1} on ${g.chain}`);
  for (const b of incomplete) lines.push(`  INCOMPLETE ${b.chain} ${b.number} ${b.hash}: a part is missing`);
  for (const b of mismatched)
    lines.push(
      `  MISMATCH ${b.chain} ${b.number}: not the only block of its number, or its parent here has another hash`,
    );
  for (const t of tables) {
    const note = t.merges_behind ? '  (many parts: merges are behind)' : '';
    lines.push(`  ${t.table}: ${t.rows} rows in ${t.parts} parts, ${t.bytes} bytes${note}`);
  }
  return lines.join('\n');
};
