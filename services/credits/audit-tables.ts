import { SEQUENCE_SLOTS, sequenceSlotOf } from '../events/event-sequence.ts';
import type { WarehouseClient } from '../platform/warehouse-engine/warehouse.ts';
import type { Books } from './books.ts';
import { EVENTS } from './books-view.ts';
import { type Amounts, amountsOf, describeDifference } from './compare-amounts.ts';
import type { Payer } from './decider/state.ts';
import { DAY_MS, DAYS_KEPT, type DayUsage, newDay, type Usage } from './decider/usage.ts';

export type TableDifference = { readonly payer: Payer; readonly problem: string };

// The last event of each partition: an event is one row, and they come in the log's order.
const LAST_EVENTS = `SELECT sequence % ${SEQUENCE_SLOTS}, max(sequence) FROM ledger_entries GROUP BY 1`;

const BALANCES = 'SELECT payer, analyses_left, traces_left, pack_credits, open_calls FROM ledger_balances';

// Wallets pay for each call, so the table keeps no days for them.
const USAGE_DAYS = `
SELECT payer, toRelativeDayNum(date), analyses, traces, follows, insiders, victims, failed,
    analyses_charged, traces_charged, credits_charged
FROM usage_days WHERE payer LIKE 'account:%' ORDER BY payer`;

/** The next event of each of these partitions that the tables do not hold; 0 where they hold none. */
export const readTablesNext = async (
  client: WarehouseClient,
  partitions: readonly number[],
): Promise<Map<number, number>> => {
  const lastOf = new Map<number, number>();
  for await (const [slot, sequence] of rowsOf(client, LAST_EVENTS))
    lastOf.set(Number(slot), Math.floor(Number(sequence) / SEQUENCE_SLOTS));
  return new Map(
    partitions.map((partition) => [
      partition,
      (lastOf.get(sequenceSlotOf({ topic: EVENTS, partition })) ?? -1) + 1,
    ]),
  );
};

/**
 * Compares the tables with the books of the same offsets. Returns a line for each amount, payer and day that
 * differs.
 */
export async function* compareTables(
  client: WarehouseClient,
  books: Books,
  payers: Iterable<Payer>,
): AsyncGenerator<TableDifference> {
  yield* compareBalances(client, books, new Set(payers));
  yield* compareUsage(client, books);
}

async function* compareBalances(
  client: WarehouseClient,
  books: Books,
  missing: Set<Payer>,
): AsyncGenerator<TableDifference> {
  for await (const [name, ...values] of rowsOf(client, BALANCES)) {
    const payer = name as Payer;
    if (!missing.delete(payer)) yield { payer, problem: 'ledger_balances has it, and no event is about it' };
    const [analyses = 0, traces = 0, credits = 0, open = 0] = values.map(Number);
    const amounts: Amounts = { analyses, traces, credits, open };
    const difference = describeDifference(amounts, amountsOf(books, payer));
    if (difference) yield { payer, problem: `ledger_balances differs: ${difference}` };
  }
  for (const payer of missing) yield { payer, problem: 'ledger_balances lacks it' };
}

async function* compareUsage(client: WarehouseClient, books: Books): AsyncGenerator<TableDifference> {
  const missing = new Set(books.usages.keys());
  let payer: Payer | null = null;
  let days: Usage = new Map();
  const compare = function* (): Generator<TableDifference> {
    if (payer === null) return;
    missing.delete(payer);
    yield* compareDays(payer, days, books.usages.get(payer) ?? new Map());
  };
  for await (const [name, day, ...values] of rowsOf(client, USAGE_DAYS)) {
    if (name !== payer) {
      yield* compare();
      payer = name as Payer;
      days = new Map();
    }
    days.set(Number(day), toDay(values.map(Number)));
  }
  yield* compare();
  for (const each of missing) yield* compareDays(each, new Map(), books.usages.get(each) ?? new Map());
}

const NAMES = Object.keys(newDay()) as (keyof DayUsage)[];

const toDay = (values: readonly number[]): DayUsage =>
  Object.fromEntries(NAMES.map((name, i) => [name, values[i] ?? 0])) as DayUsage;

/** The books drop old days; the tables keep them. */
function* compareDays(payer: Payer, tables: Usage, books: Usage): Generator<TableDifference> {
  const oldest = Math.max(...books.keys()) - DAYS_KEPT;
  for (const day of new Set([...tables.keys(), ...books.keys()])) {
    if (day <= oldest) continue;
    const difference = describeDifference(tables.get(day) ?? newDay(), books.get(day) ?? newDay());
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
    if (difference) yield { payer, problem: `usage_days of ${date} differs: ${difference}` };
  }
}

async function* rowsOf(client: WarehouseClient, query: string): AsyncGenerator<readonly unknown[]> {
  const answer = await client.query({ query, format: 'JSONCompactEachRow' });
  for await (const rows of answer.stream<readonly unknown[]>()) for (const row of rows) yield row.json();
}
