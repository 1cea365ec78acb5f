import { startWriter } from '../platform/event-log/embedded/writer.ts';

/** A program that closes a log (its file is the argument) while calls are on their way, and then says how many were answered. */
const writer = startWriter({ file: process.argv[2] ?? '', lockTimeoutMs: 1_000 });
const calls = Array.from({ length: 200 }, (_, at) =>
  writer.call('acquire', { group: `${at}`, member: 'member', nowUnixMs: 0, leaseMs: 1_000 }),
);
await writer.stop();
process.stdout.write(`${(await Promise.all(calls)).length}\n`);
