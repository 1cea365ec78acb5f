/**
 * After a line on stdin: appends numbered records until one is refused, and says which were acknowledged and which
 * refused. After another line: appends once more. Arguments: module that opens the log, where the log is.
 */
import { createInterface } from 'node:readline';
import { FAULT_TOPICS, type OpenForFaults } from './fault-log.ts';
import { say } from './say.ts';

const [modulePath = '', place = ''] = process.argv.slice(2);
const CONCURRENT = 8;
const { openForFaults } = (await import(modulePath)) as { openForFaults: OpenForFaults };
const log = await openForFaults(place, FAULT_TOPICS);
let next = 0;
let isRefused = false;

const append = async (number: number, bytes: number): Promise<void> => {
  const value = Buffer.alloc(bytes, ' ');
  value.write(`${number}`);
  try {
    await log.append([{ topic: 'plain', key: 'k', value }]);
    say(`acknowledged ${number}`);
  } catch (error) {
    isRefused = true;
    say(`refused ${number} ${error instanceof Error && 'code' in error ? error.code : error}`);
  }
};
const appendUntilRefused = async (): Promise<void> => {
  while (!isRefused) await append(next++, 50_000);
};

const told = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

say('ready');
await told.next();
await Promise.all(Array.from({ length: CONCURRENT }, appendUntilRefused));
say('refused once');
await told.next();
await append(next, 10);
say('done');
await told.next();
