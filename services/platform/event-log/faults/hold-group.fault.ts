/**
 * Takes a group, says so, and commits when it is told to; prints what came of each commit.
 * Arguments: module that opens the log, where the log is, group. Each line on stdin is an offset to commit.
 */
import { createInterface } from 'node:readline';
import { FAULT_TOPICS, type OpenForFaults } from './fault-log.ts';
import { say } from './say.ts';

const [modulePath = '', place = '', group = ''] = process.argv.slice(2);
const { openForFaults } = (await import(modulePath)) as { openForFaults: OpenForFaults };
const log = await openForFaults(place, FAULT_TOPICS);
const consumer = await log.consume({ group, topics: ['plain'] });
say('holding');

for await (const line of createInterface({ input: process.stdin })) {
  try {
    await consumer.transact({
      records: [{ topic: 'plain', key: '', value: Buffer.from('child') }],
      commits: [{ topic: 'plain', partition: 0, offset: Number(line), metadata: 'child' }],
    });
    say('committed');
  } catch (error) {
    say(`${error instanceof Error ? error.name : 'unknown'}`);
  }
}
await log.close();
