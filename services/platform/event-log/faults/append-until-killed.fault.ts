/**
 * Appends numbered groups, many at once, until it is killed, and prints the number of each group that was acknowledged.
 * Arguments: module that opens the log, where the log is, name of this writer, first number.
 */
import type { AppendRecord } from '../event-log.ts';
import { FAULT_TOPICS, groupOf, type OpenForFaults } from './fault-log.ts';
import { say } from './say.ts';

const [modulePath = '', place = '', writer = '', first = '0'] = process.argv.slice(2);
const CONCURRENT = 64;

const { openForFaults } = (await import(modulePath)) as { openForFaults: OpenForFaults };
const log = await openForFaults(place, FAULT_TOPICS);
let next = Number(first);

const appendForEver = async (): Promise<never> => {
  for (;;) {
    const number = next++;
    const records: AppendRecord[] = groupOf(writer, number);
    await log.append(records);
    say(`${number}`);
  }
};

say('started');
await Promise.all(Array.from({ length: CONCURRENT }, appendForEver));
